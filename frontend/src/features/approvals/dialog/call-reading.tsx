import type { ReactNode } from 'react'
import type { Looked } from '../answer/use-look'
import { CallParts } from './call-parts'

export interface ReadingProps {
  looked: Looked
  /** The input is no longer the one that the desk looked at. */
  edited: boolean
  /** How careful to be, and why. */
  children: ReactNode
}

/** What a call does, in the order in which it is read: its risk, then part by part. */
export function CallReading({ looked, edited, children }: ReadingProps) {
  return (
    <>
      {children}
      {!edited && <CallParts parts={looked.look?.command?.parts ?? []} />}
    </>
  )
}

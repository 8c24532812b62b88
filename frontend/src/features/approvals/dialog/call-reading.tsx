import type { ReactNode } from 'react'
import type { PendingCall } from '../../../desk/types'
import type { Looked } from '../answer/use-look'
import { CallParts } from './call-parts'
import { CallSummary } from './call-summary'

export interface ReadingProps {
  call: PendingCall
  looked: Looked
  /** Of the one line, which describes the dialog. */
  id: string
  /** The input is no longer the one that the desk looked at. */
  edited: boolean
  /** How careful to be, and why. */
  children: ReactNode
}

/** What a call does, in the order in which it is read: in one line, with its risk, part by part. */
export function CallReading({ call, looked, id, edited, children }: ReadingProps) {
  return (
    <>
      <CallSummary call={call} looked={looked} id={id} edited={edited} />
      {children}
      {!edited && <CallParts parts={looked.look?.command?.parts ?? []} />}
    </>
  )
}

import type { ReactNode } from 'react'
import { Notice } from './notice'

/** What went wrong, which interrupts a screen reader; nothing where nothing did. */
export function Alert({ children }: { children: ReactNode }) {
  if (children === null || children === false || children === '') return null
  return (
    <Notice tone="deny" role="alert">
      {children}
    </Notice>
  )
}

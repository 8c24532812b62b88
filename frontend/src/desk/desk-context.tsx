import { createContext, use, type ReactNode } from 'react'
import type { Desk } from './desk'

const DeskContext = createContext<Desk | null>(null)

/** Gives the desk to everything below. */
export function DeskProvider({ desk, children }: { desk: Desk; children: ReactNode }) {
  return <DeskContext value={desk}>{children}</DeskContext>
}

/** The desk of this page. */
export function useDesk(): Desk {
  const desk = use(DeskContext)
  if (!desk) throw new Error('useDesk stands outside of DeskProvider')
  return desk
}

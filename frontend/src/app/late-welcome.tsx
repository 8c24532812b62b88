import type { ReactNode } from 'react'
import { part } from '../features/welcome/part'
import { PartBoundary } from './part-boundary'

/** The welcome of a new desk around the word that nothing waits, which stands alone where the welcome cannot be loaded. */
export function LateWelcome({ children }: { children: ReactNode }) {
  return <PartBoundary part={part} props={{ children }} failed={() => children} />
}

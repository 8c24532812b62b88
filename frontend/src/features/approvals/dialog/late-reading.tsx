import { lazy, Suspense } from 'react'
import type { ReadingProps } from './call-reading'
import type { ToolLevel } from './tool-level'

/** Comes right after the first screen, so that it moves nothing in a dialog; where it does not, there is the risk alone. */
const coming = import('./call-reading').then(
  ({ CallReading }) => ({ default: CallReading }),
  () => ({ default: ({ children }: ReadingProps) => children }),
)

const Reading = lazy(() => coming)

/** What a call does, once that is loaded, and its risk at once. */
export function LateReading(props: ReadingProps) {
  return (
    <Suspense fallback={props.children}>
      <Reading {...props} />
    </Suspense>
  )
}

const Level = lazy(() => import('./tool-level').then(({ ToolLevel }) => ({ default: ToolLevel }), () => ({ default: () => null })))

/** The offer to give the tool a level, below all that is to be read. */
export function LateLevel(props: Parameters<typeof ToolLevel>[0]) {
  return (
    <Suspense fallback={null}>
      <Level {...props} />
    </Suspense>
  )
}

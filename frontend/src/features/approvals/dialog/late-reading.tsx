import { lazy, Suspense } from 'react'
import type { ReadingProps } from './call-reading'

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

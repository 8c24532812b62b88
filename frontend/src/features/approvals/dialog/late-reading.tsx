import { lazy, Suspense } from 'react'
import type { ReadingProps } from './call-reading'

/** Comes after the first screen; where it does not, there is the risk alone. */
const Reading = lazy(() =>
  import('./call-reading').then(
    ({ CallReading }) => ({ default: CallReading }),
    () => ({ default: ({ children }: ReadingProps) => children }),
  ),
)

/** What a call does, once that is loaded, and its risk at once. */
export function LateReading(props: ReadingProps) {
  return (
    <Suspense fallback={props.children}>
      <Reading {...props} />
    </Suspense>
  )
}

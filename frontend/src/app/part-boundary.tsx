import { createElement, Suspense, use, type ReactNode } from 'react'
import { useI18n } from '../i18n/i18n'
import { ErrorBoundary } from '../ui/error-boundary'
import { forgetPart, openPart, type Part } from './open-part'

interface Props<P> {
  part: Part<P>
  props: P
  /** What stands there instead where the part cannot be loaded or drawn; retry loads and draws it again. */
  failed: (error: unknown, retry: () => void) => ReactNode
}

/** A part of the page in an error boundary of its own. */
export function PartBoundary<P extends object>({ part, props, failed }: Props<P>) {
  const fallback = (error: unknown, retry: () => void) =>
    failed(error, () => {
      forgetPart(part)
      retry()
    })
  return (
    <ErrorBoundary fallback={fallback}>
      <Suspense>
        <Opened part={part} props={props} />
      </Suspense>
    </ErrorBoundary>
  )
}

function Opened<P extends object>({ part, props }: Omit<Props<P>, 'failed'>) {
  const { language } = useI18n()
  return createElement('component' in part ? part.component : use(openPart(part, language)), props)
}

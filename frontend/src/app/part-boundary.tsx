import { createElement, useSyncExternalStore, type ReactNode } from 'react'
import { useI18n } from '../i18n/i18n'
import { ErrorBoundary } from '../ui/error-boundary'
import { forgetPart, openPart, type LatePart, type Part } from './open-part'

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
      {'component' in part ? createElement(part.component, props) : <Late part={part} props={props} />}
    </ErrorBoundary>
  )
}

/** Not by Suspense, which keeps what was loaded from view for 300 ms. */
function Late<P extends object>({ part, props }: { part: LatePart<P>; props: P }) {
  const { language } = useI18n()
  const opening = openPart(part, language)
  const opened = useSyncExternalStore(opening.subscribe, opening.read)
  if (opened === null) return null
  if ('error' in opened) throw opened.error
  return createElement(opened.component, props)
}

import { useSyncExternalStore } from 'react'
import { DeskProvider } from '../desk/desk-context'
import type { Entrance } from '../desk/open-desk'
import { I18nProvider } from '../i18n/i18n'
import { ErrorBoundary } from '../ui/error-boundary'
import { PageFailed } from './page-failed'
import { Shell } from './shell'
import { SignIn } from './sign-in'

/** The whole page: the desk, or how to get to it. */
export function App({ entrance, reload = () => { location.reload() } }: { entrance: Entrance; reload?: () => void }) {
  const opened = useSyncExternalStore(entrance.subscribe, entrance.state)
  return (
    <I18nProvider>
      <ErrorBoundary fallback={(error) => <PageFailed error={error} onReload={reload} />}>
        {'desk' in opened ? (
          <DeskProvider desk={opened.desk}>
            <Shell reload={reload} />
          </DeskProvider>
        ) : (
          <SignIn why={opened.signedOut} />
        )}
      </ErrorBoundary>
    </I18nProvider>
  )
}

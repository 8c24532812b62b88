import { useSyncExternalStore } from 'react'
import { DeskProvider } from '../desk/desk-context'
import type { Entrance } from '../desk/open-desk'
import type { Language } from '../i18n/catalogue'
import { I18nProvider } from '../i18n/i18n'
import { ErrorBoundary } from '../ui/error-boundary'
import { PageFailed } from './page-failed'
import { Shell } from './shell'
import { SignIn } from './sign-in'

interface AppProps {
  entrance: Entrance
  /** The language whose words are loaded; the person's where it is left out. */
  language?: Language
  reload?: () => void
}

/** The whole page: the desk, or how to get to it. */
export function App({ entrance, language, reload = () => { location.reload() } }: AppProps) {
  const opened = useSyncExternalStore(entrance.subscribe, entrance.state)
  return (
    <I18nProvider {...(language ? { first: language } : {})}>
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

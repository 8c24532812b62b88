import { useSyncExternalStore } from 'react'
import { DeskProvider } from '../desk/desk-context'
import type { Entrance } from '../desk/open-desk'
import { I18nProvider } from '../i18n/i18n'
import { Shell } from './shell'
import { SignIn } from './sign-in'

/** The whole page: the desk, or how to get to it. */
export function App({ entrance }: { entrance: Entrance }) {
  const opened = useSyncExternalStore(entrance.subscribe, entrance.state)
  return (
    <I18nProvider>
      {'desk' in opened ? (
        <DeskProvider desk={opened.desk}>
          <Shell />
        </DeskProvider>
      ) : (
        <SignIn why={opened.signedOut} />
      )}
    </I18nProvider>
  )
}

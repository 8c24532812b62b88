import type { ClientApp } from '../../desk/types'
import { isKey } from '../../i18n/words'
import { useI18n } from './screen'

/** What an app that is connected waits for: that it is started anew, in its own words, or that it asks for something. */
export function AppNow({ app: { client, name: app, firstAt, spoken } }: { app: ClientApp }) {
  const { t } = useI18n()
  if (firstAt !== null) return t('apps.firstCall', { app })
  if (spoken) return t('apps.spoken', { app })
  const key = `apps.restart.${client}`
  return `${t(isKey<'apps.restart.other'>(key) ? key : 'apps.restart.other', { app })} ${t('apps.waits')}`
}

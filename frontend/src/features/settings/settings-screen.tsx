import type { ReactNode } from 'react'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Screen } from '../../ui/screen'
import { AskingSettings } from './asking-settings'
import { ReadingSettings } from './reading-settings'
import { Group } from './group'
import { KeepingSettings } from './keeping-settings'
import { PatienceSettings } from './patience-settings'
import { useI18n } from './screen'
import css from './settings-screen.module.css'
import { useSettings } from './use-settings'
import { WindowSettings } from './window-settings'

interface Props {
  /** Language and appearance, which this page keeps by itself. */
  looks?: ReactNode
}

/** What a person may set. Every change counts at once; there is nothing to save. */
export function SettingsScreen({ looks }: Props) {
  const { t } = useI18n()
  const { settings, info, error, kept, change } = useSettings()
  const saved = (
    <p className={css.kept} role="status">
      {kept ? t('settings.kept') : ''}
    </p>
  )
  return (
    <Screen title={t('settings.title')} lead={t('settings.lead')} action={saved}>
      <Alert>{error && errorText(t, error)}</Alert>
      {!settings && !error && <p role="status">{t('common.loading')}</p>}
      {settings && (
        <div className={css.groups}>
          {looks && <Group title={t('settings.looks')}>{looks}</Group>}
          <AskingSettings settings={settings} change={change} />
          <ReadingSettings settings={settings} change={change} />
          {info?.face !== 'browser' && <WindowSettings settings={settings} change={change} />}
          <KeepingSettings settings={settings} change={change} />
          <PatienceSettings settings={settings} change={change} />
        </div>
      )}
    </Screen>
  )
}

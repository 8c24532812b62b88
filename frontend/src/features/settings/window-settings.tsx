import type { Settings, WindowSettings as Choices } from '../../desk/types'
import { languageNames, languages } from '../../i18n/catalogue'
import { Select } from '../../ui/select'
import { Group } from './group'
import { useI18n } from './screen'
import { Switch } from './switch'
import type { Change } from './use-settings'

const choices: readonly (keyof Choices)[] = ['popUp', 'sound', 'quiet', 'startHidden', 'closeToTray', 'autostart']

/** How the window behaves, and what it says outside of its pages. None of it decides anything. */
export function WindowSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  return (
    <Group title={t('settings.window')}>
      {choices.map((choice) => (
        <Switch
          key={choice}
          label={t(`settings.window.${choice}`)}
          on={settings.window[choice]}
          onKeep={(on) => change({ window: { [choice]: on } })}
        />
      ))}
      <Select
        small
        label={t('settings.noticesLanguage')}
        value={settings.language}
        options={[['', t('theme.system')], ...languages.map((language) => [language, languageNames[language]] as const)]}
        onChange={(language) => void change({ language })}
      />
    </Group>
  )
}

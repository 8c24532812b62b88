import type { Settings, WindowSettings as Choices } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { Group } from './group'
import { Switch } from './switch'
import type { Change } from './use-settings'

const choices: readonly (keyof Choices)[] = ['popUp', 'sound', 'quiet', 'startHidden', 'closeToTray', 'autostart']

/** How the window behaves. None of it decides anything. */
export function WindowSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  return (
    <Group title={t('settings.window')}>
      {choices.map((choice) => (
        <Switch key={choice} label={t(`settings.window.${choice}`)} on={settings.window[choice]} onKeep={(on) => change({ window: { [choice]: on } })} />
      ))}
    </Group>
  )
}

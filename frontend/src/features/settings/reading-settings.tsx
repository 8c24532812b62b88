import type { Effect, Settings } from '../../desk/types'
import { Select } from '../../ui/select'
import { Group } from './group'
import { useI18n } from './screen'
import type { Change } from './use-settings'

const effects: readonly Effect[] = ['allow', 'ask', 'deny']

/** What becomes of resources and prompts that no rule is about. */
export function ReadingSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  return (
    <Group title={t('settings.reads')} lead={t('settings.readsLead')}>
      {(['resources', 'prompts'] as const).map((what) => (
        <Select
          key={what}
          label={t(`settings.reads.${what}`)}
          value={settings.reads[what]}
          options={effects.map((effect) => [effect, t(`effect.${effect}`)])}
          onChange={(effect) => void change({ reads: { [what]: effect } })}
        />
      ))}
    </Group>
  )
}

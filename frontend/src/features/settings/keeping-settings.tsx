import type { Settings } from '../../desk/types'
import { Group } from './group'
import { NumberField } from './number-field'
import { useI18n } from './screen'
import type { Change } from './use-settings'

const bounds = ['inputDays', 'journalDays', 'journalMegabytes'] as const

/** What is kept how long. */
export function KeepingSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  return (
    <Group title={t('settings.keeping')} lead={t('settings.keepingLead')}>
      {bounds.map((bound) => (
        <NumberField
          key={bound}
          label={t(`settings.keep.${bound}`)}
          value={settings.retention[bound]}
          onKeep={(value) => change({ retention: { [bound]: value } })}
        />
      ))}
    </Group>
  )
}

import type { Limit, Risk, Settings } from '../../desk/types'
import { Group } from './group'
import { NumberField } from './number-field'
import { useI18n } from './screen'
import css from './settings-screen.module.css'
import { Switch } from './switch'
import type { Change } from './use-settings'

const risks: readonly Risk[] = ['low', 'medium', 'high']

const limits = [
  ['pendingPerAgent', 'settings.pendingPerAgent', 'settings.pendingHint'],
  ['inputMembers', 'settings.inputMembers', 'settings.inputMembersHint'],
] as const

/** What a deadline begins with when it is switched on. */
const usual: Record<Risk, number> = { low: 300, medium: 300, high: 600 }

/** How long calls wait for a person, and what happens around an answer. */
export function AskingSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  return (
    <Group title={t('settings.asking')} lead={t('settings.askingLead')}>
      {risks.map((risk) => {
        const seconds = settings.deadlines[risk]
        return (
          <div key={risk} className={css.deadline}>
            <Switch
              label={t(`settings.deadline.${risk}`)}
              on={seconds !== null}
              onKeep={(on) => change({ deadlines: { [risk]: on ? usual[risk] : null } })}
            />
            {seconds === null ? (
              <p className={css.never}>{t('settings.never')}</p>
            ) : (
              <NumberField label={t('settings.seconds')} value={seconds} onKeep={(value) => change({ deadlines: { [risk]: value } })} />
            )}
          </div>
        )
      })}
      <NumberField
        label={t('settings.undo')}
        hint={t('settings.undoHint')}
        value={settings.undoSeconds}
        onKeep={(value) => change({ undoSeconds: value })}
      />
      <Switch label={t('settings.denialMemory')} on={settings.denialMemory} onKeep={(denialMemory) => change({ denialMemory })} />
      <Switch
        label={t('settings.unanswered')}
        on={settings.hooks.unanswered === 'client'}
        onKeep={(on) => change({ hooks: { unanswered: on ? 'client' : 'deny' } })}
      />
      <p className={css.never}>{t('settings.unansweredHint')}</p>
      <Brake brake={settings.brake} change={change} />
      {limits.map(([limit, label, hint]) => (
        <NumberField
          key={limit}
          label={t(label)}
          hint={t(hint)}
          value={settings.limits[limit]}
          onKeep={(value) => change({ limits: { [limit]: value } })}
        />
      ))}
    </Group>
  )
}

/** What the brake begins with when it is switched on. */
const usualBrake: Limit = { calls: 50, seconds: 60 }

/** How often the same call is allowed before it asks. */
function Brake({ brake, change }: { brake: Limit | null; change: Change }) {
  const { t } = useI18n()
  return (
    <>
      <Switch label={t('settings.brake')} on={brake !== null} onKeep={(on) => change({ brake: on ? usualBrake : null })} />
      <p className={css.never}>{t('settings.brakeHint')}</p>
      {brake !== null && (
        <div className={css.pair}>
          <NumberField label={t('settings.brakeCalls')} value={brake.calls} onKeep={(calls) => change({ brake: { ...brake, calls } })} />
          <NumberField
            label={t('settings.brakeSeconds')}
            value={brake.seconds}
            onKeep={(seconds) => change({ brake: { ...brake, seconds } })}
          />
        </div>
      )}
    </>
  )
}

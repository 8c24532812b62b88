import { useLoaded } from '../../desk/queries'
import { Combobox } from '../../ui/combobox'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useI18n } from './screen'
import css from './tester.module.css'
import type { Trial } from './use-trial'

interface Props {
  trial: Trial
  onChange: (part: Partial<Trial>) => void
}

/** Where the call would come from: some conditions look at that. */
export function TesterOrigin({ trial, onChange }: Props) {
  const { t } = useI18n()
  const agents = useLoaded('agents').data ?? []
  const strange = trial.agentId !== '' && !agents.some(({ id }) => id === trial.agentId)
  const sessions = (useLoaded('sessions').data ?? []).filter(({ agentId, state }) => agentId === trial.agentId && state !== 'ended')
  return (
    <details className={css.origin}>
      <summary>{t('rules.testOrigin')}</summary>
      <div className={css.fields}>
        <Select
          label={t('rules.testAgent')}
          value={trial.agentId}
          options={[
            ['', t('rules.testNoAgent')],
            ...agents.map(({ id, name }) => [id, name] as const),
            ...(strange ? [[trial.agentId, trial.agentId] as const] : []),
          ]}
          onChange={(agentId) => {
            onChange({ agentId, agentName: '' })
          }}
        />
        <Combobox
          label={t('rules.testSession')}
          value={trial.sessionId}
          options={sessions.map(({ id }) => id)}
          onChange={(sessionId) => {
            onChange({ sessionId })
          }}
        />
        <Field
          label={t('rules.testFolder')}
          value={trial.cwd}
          onChange={(e: { currentTarget: { value: string } }) => {
            onChange({ cwd: e.currentTarget.value })
          }}
        />
        {trial.envelope !== '' && <Field label={t('envelope.heading')} lines={3} readOnly value={trial.envelope} />}
      </div>
    </details>
  )
}

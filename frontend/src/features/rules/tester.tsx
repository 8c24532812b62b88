import { useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Combobox } from '../../ui/combobox'
import { Field } from '../../ui/field'
import { LongField } from './long-field'
import { MethodSelect } from './method-select'
import { Panel } from './panel'
import { useI18n } from './screen'
import { TesterOrigin } from './tester-origin'
import css from './tester.module.css'
import { useTrial, type Trial } from './use-trial'
import { VerdictView } from './verdict-view'

interface Props {
  /** A call to begin with; '' is none. */
  callId: string
  /** A made-up call to begin with; null is none. */
  start: Trial | null
  onClose: () => void
}

/** Says what the rules make of a call, by the code that judges the real ones: which rule decides, and why each other does not. */
export function Tester({ callId, start, onClose }: Props) {
  const { t } = useI18n()
  const servers = useLoaded('servers').data ?? []
  const { trial, change, fault, verdict, asked, error } = useTrial(callId, start)
  return (
    <Panel title={t('rules.test')} lead={t('rules.testLead')} onClose={onClose}>
      <Alert>{error && errorText(t, error)}</Alert>
      <div className={css.fields} ref={focusFirst}>
        <Combobox
          label={t('rules.formServer')}
          hint={t('rules.testServerHint')}
          value={trial.serverId}
          options={servers.map((server) => server.id)}
          onChange={(serverId) => {
            change({ serverId })
          }}
        />
        <Field
          label={t('rules.formTool')}
          hint={t('rules.testToolHint')}
          value={trial.toolName}
          onChange={(e: { currentTarget: { value: string } }) => {
            change({ toolName: e.currentTarget.value })
          }}
        />
        <MethodSelect
          value={trial.method}
          onChange={(method) => {
            change({ method })
          }}
        />
      </div>
      <LongField
        label={t('rules.testInput')}
        hint={t('rules.testInputHint')}
        text={trial.input}
        fault={fault}
        told={t('rules.testLong', { count: trial.input.length })}
        another={t('rules.testAnother')}
        onChange={(input) => {
          change({ input })
        }}
      />
      <TesterOrigin trial={trial} onChange={change} />
      {!asked && <p className={css.idle}>{fault ? t('rules.testNotJson') : t('rules.testIdle')}</p>}
      <Alert>{asked && verdict.current && verdict.error && errorText(t, verdict.error)}</Alert>
      {asked && verdict.data && <VerdictView verdict={verdict.data} current={verdict.current} />}
    </Panel>
  )
}

function focusFirst(fields: HTMLElement | null): void {
  fields?.querySelector('input')?.focus()
}

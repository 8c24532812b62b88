import { useEffect, useId, useRef } from 'react'
import { errorText } from '../../i18n/error-text'
import { Field } from '../../ui/field'
import { Notice } from '../../ui/notice'
import { LongField } from './long-field'
import { MethodSelect } from './method-select'
import { Panel } from './panel'
import { useI18n } from './screen'
import { TesterOrigin } from './tester-origin'
import css from './tester.module.css'
import { useServerIds } from './use-rules'
import { useTrial } from './use-trial'
import { VerdictView } from './verdict-view'

interface Props {
  /** A call to begin with; '' is none. */
  callId: string
  onClose: () => void
}

/** Says what the rules make of a call, by the code that judges the real ones: which rule decides, and why each other does not. */
export function Tester({ callId, onClose }: Props) {
  const { t } = useI18n()
  const id = useId()
  const servers = useServerIds()
  const form = useRef<HTMLDivElement>(null)
  const { trial, change, fault, verdict, asked, error } = useTrial(callId)
  useEffect(() => {
    form.current?.querySelector('input')?.focus()
  }, [])
  const field = (name: 'serverId' | 'toolName') => ({
    value: trial[name],
    onChange: (e: { currentTarget: { value: string } }) => {
      change({ [name]: e.currentTarget.value })
    },
  })
  return (
    <Panel title={t('rules.test')} lead={t('rules.testLead')} onClose={onClose}>
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
      <div className={css.fields} ref={form}>
        <Field label={t('rules.formServer')} hint={t('rules.testServerHint')} list={`${id}-servers`} {...field('serverId')} />
        <datalist id={`${id}-servers`}>
          {servers.map((server) => (
            <option key={server} value={server} />
          ))}
        </datalist>
        <Field label={t('rules.formTool')} hint={t('rules.testToolHint')} {...field('toolName')} />
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
      {asked && verdict.current && verdict.error && (
        <Notice tone="deny" role="alert">
          {errorText(t, verdict.error)}
        </Notice>
      )}
      {asked && verdict.data && <VerdictView verdict={verdict.data} current={verdict.current} />}
    </Panel>
  )
}

import { useState } from 'react'
import { useAnswer, useLoaded } from '../../desk/queries'
import type { MadeCall, ReachQuery, Risk } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { Panel } from './panel'
import { ReachView } from './reach-view'
import { thinkingMs, useAround } from './rules-context'
import { useI18n } from './screen'
import css from './tester.module.css'

interface Props {
  /** Opens a made-up call in the tester. */
  onTry: (call: MadeCall) => void
  onClose: () => void
}

interface Kind {
  names: string
  toolName: string
  serverId: string
  agentId: string
  risk: Risk | ''
}

const any: Kind = { names: '', toolName: '', serverId: '', agentId: '', risk: '' }

/** Says which rules could ever let a kind of calls pass. */
export function ReachPanel({ onTry, onClose }: Props) {
  const { t } = useI18n()
  const { policyVersion } = useAround()
  const agents = useLoaded('agents').data ?? []
  const [kind, setKind] = useState(any)
  const answer = useAnswer(thinkingMs, 'reach', [queryOf(kind)], policyVersion)
  const change = (part: Partial<Kind>) => {
    setKind({ ...kind, ...part })
  }
  const field = (name: 'names' | 'toolName' | 'serverId') => ({
    value: kind[name],
    onChange: (e: { currentTarget: { value: string } }) => {
      change({ [name]: e.currentTarget.value })
    },
  })
  const risks = (['low', 'medium', 'high'] as const).map((risk) => [risk, t(`risk.${risk}`)] as const)
  return (
    <Panel title={t('rules.reach')} lead={t('rules.reachLead')} onClose={onClose}>
      <div className={css.fields} ref={focusFirst}>
        <Field label={t('rules.reachNames')} hint={t('rules.reachNamesHint')} spellCheck={false} {...field('names')} />
        <Field label={t('rules.formTool')} hint={t('rules.reachAny')} {...field('toolName')} />
        <Field label={t('rules.formServer')} hint={t('rules.reachAny')} {...field('serverId')} />
        <Select
          label={t('rules.testAgent')}
          value={kind.agentId}
          options={[['', t('rules.reachAnyOne')], ...agents.map(({ id, name }) => [id, name] as const)]}
          onChange={(agentId) => {
            change({ agentId })
          }}
        />
        <Select
          label={t('rules.reachRisk')}
          value={kind.risk}
          options={[['', t('rules.reachAnyOne')], ...risks]}
          onChange={(risk) => {
            change({ risk })
          }}
        />
      </div>
      <Alert>{answer.error && errorText(t, answer.error)}</Alert>
      {answer.data ? (
        <ReachView reach={answer.data} current={answer.current} onTry={onTry} />
      ) : (
        !answer.error && <p role="status">{t('common.loading')}</p>
      )}
    </Panel>
  )
}

/** What is written; what is empty may be anything. */
function queryOf({ names, toolName, serverId, agentId, risk }: Kind): ReachQuery {
  const commands = names.split(',').map((name) => name.trim().replace(/\s+/g, ' ')).filter((name) => name !== '')
  return {
    ...(commands.length > 0 && { names: commands }),
    ...(toolName !== '' && { toolName }),
    ...(serverId !== '' && { serverId }),
    ...(agentId !== '' && { agentId }),
    ...(risk !== '' && { risk }),
  }
}

function focusFirst(fields: HTMLElement | null): void {
  fields?.querySelector('input')?.focus()
}

import { useState } from 'react'
import type { Call } from '../../desk/types'
import { wordFor } from '../../i18n/error-text'
import { methodWord } from '../../i18n/method-word'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { AskerText } from '../../ui/asker-text'
import { Badge } from '../../ui/badge'
import type { IconName } from '../../ui/icon'
import css from './activity-screen.module.css'
import { CallOutcome } from './call-outcome'
import { CallParts } from './call-parts'
import { InDoubt } from './in-doubt'
import { Latency } from './latency'
import { RowInput } from './row-input'
import { useI18n } from './screen'

type Look = readonly [IconName, 'plain' | 'allow' | 'ask' | 'deny' | 'care' | 'muted']

const looks: Record<string, Look> = {
  pending: ['clock', 'ask'],
  approved: ['allow', 'allow'],
  claimed: ['clock', 'allow'],
  in_doubt: ['ask', 'care'],
  completed: ['allow', 'allow'],
  failed: ['warning', 'care'],
  denied: ['deny', 'deny'],
  declined: ['deny', 'deny'],
  expired: ['clock', 'muted'],
  cancelled: ['off', 'muted'],
  revoked: ['deny', 'deny'],
}

const plain: Look = ['any', 'plain']

interface Props {
  call: Call
  /** The call as the desk has it now. */
  onKnown: (call: Call) => void
}

/** One call: what, by whom, what became of it and why. Its input is loaded when asked for. */
export function ActivityRow({ call, onKnown }: Props) {
  const { t, tx } = useI18n()
  const [open, setOpen] = useState(false)
  const [icon, tone] = looks[call.status] ?? plain
  const names = { agent: <AskerText of={call} />, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  return (
    <>
      <div className={css.line}>
        <span className={css.status}>
          <Badge icon={icon} tone={tone}>
            {call.handedOver ? tx('activity.handedOver', names) : wordFor(t, 'status', call.status)}
          </Badge>
        </span>
        <div className={css.what}>
          <p className={css.tool}>
            {call.method !== 'tools/call' && <Badge icon="any">{methodWord(t, call.method)}</Badge>}
            <AgentText>{call.toolName}</AgentText>
            <span className={css.who}>{tx(call.serverId === null ? 'waiting.fromItself' : 'waiting.from', names)}</span>
          </p>
          <CallOutcome call={call} />
          {call.why.parts && <CallParts parts={call.why.parts} />}
          <InDoubt call={call} onKnown={onKnown} />
        </div>
        <span className={css.time}>
          <When at={call.createdAt} />
          <Latency call={call} />
          <a href={`#/rules?test=${encodeURIComponent(call.id)}`} aria-label={t('activity.whyOne', { tool: call.toolName })}>
            {t('activity.why')}
          </a>
        </span>
      </div>
      <details
        className={css.details}
        onToggle={(e) => {
          setOpen(e.currentTarget.open)
        }}
      >
        <summary>{t('activity.showInput')}</summary>
        {open && <RowInput call={call} />}
      </details>
    </>
  )
}

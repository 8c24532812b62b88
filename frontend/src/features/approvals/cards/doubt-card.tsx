import { useRef } from 'react'
import type { Call } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { When } from '../../../i18n/when'
import { AgentText } from '../../../ui/agent-text'
import { Button } from '../../../ui/button'
import { Notice } from '../../../ui/notice'
import { useCallInput } from '../answer/use-call-input'
import { useLook } from '../answer/use-look'
import { CallDescription } from '../dialog/call-description'
import { CallFacts } from '../dialog/call-facts'
import { CallObject } from '../dialog/call-object'
import { Card } from './card'
import { DoubtAnswers } from './doubt-answers'
import type { InFront } from './in-front'

/** A call that was started and gave no answer: what it was, and what a person makes of it after looking. */
export function DoubtCard({ queue, state, resting, notice, refused, expand, call, trusts }: InFront & { call: Call }) {
  const { t, tx } = useI18n()
  const input = useCallInput(call)
  const looked = useLook(call.id)
  const [start, end] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const names = {
    agent: <AgentText>{call.agentName}</AgentText>,
    tool: <AgentText>{call.toolName}</AgentText>,
    server: <AgentText>{call.serverId ?? ''}</AgentText>,
  }
  const waiting = state.items.filter(({ agentId }) => !state.paused.has(agentId)).length
  return (
    <Card
      queue={queue}
      resting={resting}
      notice={notice}
      refused={refused}
      expand={expand}
      title={tx(call.serverId === null ? 'doubt.titleLocal' : 'doubt.title', names)}
      words={
        <>
          <p>{tx('doubt.when', { time: <When at={call.decision?.decidedAt ?? call.createdAt} /> })}</p>
          <p>{t('doubt.look')}</p>
        </>
      }
      foot={
        <>
          {waiting > 0 && (
            <Notice tone="plain" icon="clock" role="status">
              {t('waiting.bar', { count: waiting })}{' '}
              <Button small disabled={resting} onClick={() => { queue.review() }}>
                {t('waiting.review')}
              </Button>
            </Notice>
          )}
          <DoubtAnswers queue={queue} call={call} resting={resting} {...(trusts ? { trusts } : {})} />
        </>
      }
    >
      <CallDescription call={call} />
      <CallFacts call={call} why={null} />
      <CallObject
        input={input}
        looked={looked}
        start={start}
        end={end}
        onFold={null}
        edited={null}
        onEdited={null}
        onCounted={() => undefined}
        readOnly
        reasons={call.riskReasons}
      />
    </Card>
  )
}

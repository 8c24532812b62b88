import { useId, useRef } from 'react'
import type { Call } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Modal } from '../../ui/modal'
import { Notice } from '../../ui/notice'
import { Seal } from '../../ui/seal'
import type { InFront } from './approval-desk'
import { CallFacts } from './call-facts'
import { CallObject } from './call-object'
import css from './card.module.css'
import { DoubtAnswers } from './doubt-answers'
import { useCallInput } from './use-call-input'
import { useLook } from './use-look'

/** A call that was started and gave no answer: what it was, and what a person makes of it after looking. */
export function DoubtCard({ queue, state, resting, notice, expand, call, trusts }: InFront & { call: Call }) {
  const { t, tx } = useI18n()
  const id = useId()
  const input = useCallInput(call.id)
  const looked = useLook(call.id)
  const [start, end] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const names = { agent: <AgentText>{call.agentName}</AgentText>, tool: <AgentText>{call.toolName}</AgentText>, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  const waiting = state.items.length
  return (
    <Modal
      className={css.card ?? ''}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onDismiss={() => {
        if (!resting) queue.later()
      }}
    >
      <div className={css.frame}>
        <header className={css.head}>
          <Seal />
          <h2 className={css.title} id={`${id}-title`} tabIndex={-1} data-first-focus>
            {tx(call.serverId === null ? 'doubt.titleLocal' : 'doubt.title', names)}
          </h2>
          {expand}
        </header>
        <div className={css.body}>
          <div id={`${id}-text`} className={css.words}>
            <p>{tx('doubt.when', { time: <When at={call.decision?.decidedAt ?? call.createdAt} /> })}</p>
            <p>{t('doubt.look')}</p>
          </div>
          <CallFacts call={call} />
          <CallObject input={input} looked={looked} start={start} end={end} edited={null} onEdited={null} onCounted={() => undefined} readOnly />
        </div>
        <footer className={css.foot}>
          {waiting > 0 && (
            <Notice tone="plain" icon="clock" role="status">
              {t('waiting.bar', { count: waiting })}{' '}
              <Button small disabled={resting} onClick={() => { queue.review() }}>
                {t('waiting.review')}
              </Button>
            </Notice>
          )}
          <DoubtAnswers queue={queue} call={call} resting={resting} {...(trusts ? { trusts } : {})} />
          {notice}
        </footer>
      </div>
    </Modal>
  )
}

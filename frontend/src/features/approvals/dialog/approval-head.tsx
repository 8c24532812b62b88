import type { ReactNode } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { byName, isNamed, useActSentence } from '../../../i18n/use-act-sentence'
import { CutText } from '../../../ui/cut-text'
import { Seal } from '../../../ui/seal'
import type { Looked } from '../answer/use-look'
import css from './approval-dialog.module.css'

interface Props {
  call: PendingCall
  looked: Looked
  id: string
  /** The input is no longer the one that the desk looked at. */
  edited: boolean
  position: number
  total: number
  drawer: ReactNode
}

/** The sentence that names the dialog, in our voice, with the agent's words quoted. It takes the first focus. */
export function ApprovalHead({ call, looked, id, edited, position, total, drawer }: Props) {
  const { t } = useI18n()
  const { sentence } = useActSentence((text, as) => <strong><CutText as={as}>{text}</CutText></strong>)
  // An edited input is told by its tool alone: the desk has not looked at it.
  const said = edited ? null : (looked.look?.summary ?? call.summary)
  // The desk cuts long names at their end; here stands the whole one, cut in the middle.
  const summary = said?.code === 'calls' || said?.code === 'calls_own' ? byName(call) : said
  const who = (
    <em className={css.agent}>
      <CutText>{call.agentName}</CutText>
      {call.agentSubagent !== null && (
        <>
          {' › '}
          <CutText>{call.agentSubagent}</CutText>
        </>
      )}
    </em>
  )
  return (
    <header className={css.head}>
      <Seal />
      <div className={css.title}>
        <h2 id={`${id}-title`} tabIndex={-1} data-first-focus>
          {sentence(who, { ...call, summary })}
        </h2>
        {!isNamed({ summary }) && (
          <p className={css.by}>
            <CutText>{call.toolName}</CutText>
            {call.serverId !== null && (
              <>
                {' · '}
                <CutText>{call.serverId}</CutText>
              </>
            )}
          </p>
        )}
      </div>
      {total > 1 && <p className={css.position}>{t('approval.position', { position, total })}</p>}
      {drawer}
    </header>
  )
}

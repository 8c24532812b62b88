import type { ReactNode } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useActSentence } from '../../../i18n/use-act-sentence'
import { AskerText } from '../../../ui/asker-text'
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
  const summary = edited ? null : (looked.look?.summary ?? null)
  return (
    <header className={css.head}>
      <Seal />
      <h2 className={css.title} id={`${id}-title`} tabIndex={-1} data-first-focus>
        {sentence(<em className={css.agent}><AskerText of={call} /></em>, { ...call, summary: summary ?? (edited ? null : call.summary) })}
      </h2>
      {total > 1 && <p className={css.position}>{t('approval.position', { position, total })}</p>}
      {drawer}
    </header>
  )
}

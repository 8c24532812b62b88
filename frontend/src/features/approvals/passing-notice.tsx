import { useEffect, useEffectEvent } from 'react'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import css from './passing-notice.module.css'
import type { Notice } from './queue-state'

const shownMs = 5000

interface Props {
  notice: Notice | null
  /** Within the open dialog, because everything outside of it is inert. */
  inside?: boolean
  onDone: () => void
}

/** What happened to the last call, for a moment. The region stays, so that it is announced. */
export function PassingNotice({ notice, inside = false, onDone }: Props) {
  const done = useEffectEvent(onDone)
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => {
      done()
    }, shownMs)
    return () => {
      clearTimeout(timer)
    }
  }, [notice])
  return (
    <div className={inside ? css.inside : css.region} role="status">
      {notice && (
        <p className={inside ? css.line : css.notice} key={notice.call.id}>
          <Words notice={notice} />
        </p>
      )}
    </div>
  )
}

const keys = { approved: 'approval.didApprove', declined: 'approval.didDecline', elsewhere: 'approval.elsewhere', expired: 'approval.expired' } as const

function Words({ notice }: { notice: Notice }) {
  const { t, tx } = useI18n()
  const tool = <AgentText>{notice.call.toolName}</AgentText>
  if (notice.kind !== 'refused') return tx(keys[notice.kind], { tool })
  return (
    <>
      {tool} {notice.error && errorText(t, notice.error)}
    </>
  )
}

import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Icon } from '../../../ui/icon'
import { clockText, useTimeLeft } from '../../../ui/use-time-left'
import { RiskBadge } from '../dialog/risk-badge'
import css from './drawer-list.module.css'

interface Props {
  call: PendingCall
  clockOffset: number
  /** It is the one in the dialog. */
  shown: boolean
  onShow: (id: string) => void
}

/** One call that waits; pressed, it is the one in the dialog. */
export function DrawerRow({ call, clockOffset, shown, onShow }: Props) {
  const { t } = useI18n()
  const left = useTimeLeft(call.expiresAt, clockOffset)
  return (
    <li>
      <button
        className={css.row}
        type="button"
        aria-current={shown ? 'true' : undefined}
        onClick={() => {
          onShow(call.id)
        }}
      >
        <span className={css.what}>
          <AgentText>{call.toolName}</AgentText>
          <span className={css.where}>{call.serverId === null ? t('queue.ownTool') : <AgentText>{call.serverId}</AgentText>}</span>
        </span>
        {shown && <span className={css.shown}>{t('queue.shown')}</span>}
        <RiskBadge risk={call.risk} reasons={call.riskReasons} />
        <span className={css.left}>
          <Icon name="clock" /> {left === null ? t('queue.noLimit') : clockText(left)}
        </span>
      </button>
    </li>
  )
}

import { useI18n } from '../../../i18n/i18n'
import css from '../dialog/approval-foot.module.css'
import { spanName } from './reach'
import { ScopeName } from './reach-words'
import type { Approval } from './use-approval'

/** What is not said elsewhere. */
const hindrances = {
  unseen: 'approval.unseen',
  edit: 'edit.waits',
  data: 'approval.dataNotJson',
  answer: 'approval.answerFirst',
  rule: 'approval.ruleNotShown',
  over: null,
  loading: null,
  unread: null,
} as const

interface Props {
  approval: Approval
  /** There is room to tell of the keys. */
  keys?: boolean
}

/** What is in the way of approving; else how far it reaches, where that is far; else how to do it by the keyboard. */
export function HowNow({ approval, keys = true }: Props) {
  const { t, tx } = useI18n()
  const { hindrance, arming, draft, step } = approval
  const said = hindrance && hindrances[hindrance]
  if (said) return <p className={css.told}>{t(said)}</p>
  if (hindrance !== null) return null
  if (arming.phase === 'unheard') return <p className={css.told}>{t('approval.unheard')}</p>
  const { scope, forSeconds } = draft.reach
  if (scope !== 'once' && step !== 'always') {
    return (
      <p className={step === 'call' ? css.covers : css.told}>
        {tx('approval.coversNow', { scope: <ScopeName call={approval.call} scope={scope} />, span: t(spanName(forSeconds)) })}
      </p>
    )
  }
  return keys && <p className={css.keys}>{t(onMac() ? 'approval.keysMac' : 'approval.keys')}</p>
}

function onMac(): boolean {
  return navigator.userAgent.includes('Mac OS')
}

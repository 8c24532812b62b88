import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import css from './approval-dialog.module.css'
import { Fact } from './fact'
import { WhyAsked } from './why-asked'

interface Props {
  call: PendingCall
  /** Of the reason, which describes the dialog. */
  whyId: string
  /** An answer is given: nobody leaves before it is sent. */
  frozen: boolean
  /** The person goes to look at the rule. */
  onLeave: () => void
}

/** Why a person is asked. */
export function CallBackground({ call, whyId, frozen, onLeave }: Props) {
  const { t } = useI18n()
  return (
    <dl className={css.ledger}>
      <Fact label={t('approval.why')} id={whyId}>
        <WhyAsked call={call} frozen={frozen} onLeave={onLeave} />
      </Fact>
    </dl>
  )
}

import { useId } from 'react'
import type { Scope } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Check } from '../../../ui/check'
import { Fact } from '../dialog/fact'
import { bypasses, onlyOnce, scopesFor } from './reach'
import css from './reach-choice.module.css'
import { ReachWords, ScopeName } from './reach-words'
import { SpanChoice } from './span-choice'
import type { Approval } from './use-approval'

const onlyWhy = {
  edited: 'approval.onlyOnce.edited',
  data: 'approval.onlyOnce.data',
  changed: 'approval.onlyOnce.changed',
  kind: 'approval.onlyOnce.kind',
  high_risk: 'approval.onlyOnce.high_risk',
  opaque: 'approval.onlyOnce.opaque',
  code: 'approval.onlyOnce.code',
  unusual: 'approval.onlyOnce.unusual',
  own_question: 'approval.onlyOnce.own_question',
  no_session: 'approval.onlyOnce.no_session',
  envelope: 'approval.onlyOnce.envelope',
} as const

/** How far an approval reaches, and the way to a rule. */
export function ReachChoice({ approval, identical }: { approval: Approval; identical: number }) {
  const { t } = useI18n()
  const id = useId()
  const { call, draft, change, go, busy, undoUntil } = approval
  const { reach } = draft
  const edited = draft.edited !== null
  const only = onlyOnce(call, edited)
  const frozen = busy || undoUntil !== null
  const choose = (scope: Scope) => {
    change({ reach: { scope, forSeconds: scope === 'once' ? null : reach.forSeconds } })
  }
  return (
    <Fact label={<span id={id}>{t('approval.covers')}</span>}>
      <div className={css.row}>
        {only !== null && <p className={css.only}>{t(bypasses(call, draft.data) ? 'coverage.mode' : onlyWhy[only])}</p>}
        {only === null && (
          <fieldset className={css.options} aria-labelledby={id} disabled={frozen}>
            {scopesFor(call, edited).map((scope, i) => (
              <label key={scope} className={css.option} data-prominent={i === 1}>
                <input
                  className={css.radio}
                  type="radio"
                  name={id}
                  value={scope}
                  checked={scope === reach.scope}
                  onChange={() => {
                    choose(scope)
                  }}
                />
                <span>
                  <ScopeName call={call} scope={scope} />
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {only !== 'edited' && only !== 'data' && only !== 'changed' && (
          <Button
            small
            className={css.always}
            disabled={frozen}
            onClick={() => {
              go('always')
            }}
          >
            {t('approval.always')}
          </Button>
        )}
      </div>
      {reach.scope !== 'once' && (
        <div className={css.wider}>
          <SpanChoice reach={reach} change={change} disabled={frozen} />
          <ReachWords call={call} reach={reach} />
        </div>
      )}
      {identical > 0 && !edited && (
        <Check
          label={t('approval.identical', { count: identical })}
          checked={draft.identical}
          disabled={frozen}
          onChange={(alike) => {
            change({ identical: alike })
          }}
        />
      )}
    </Fact>
  )
}

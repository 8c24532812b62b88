import { useState, type ComponentType } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import type { Call } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { FirstOffer } from './first-offer'
import { useI18n } from './part'
import { mayBeOffered, safest } from './safest'
import css from './welcome.module.css'

export interface FirstRuleProps {
  call: Call
  Found: ComponentType<{ onPanel: (open: boolean) => void }>
  /** The rule was made. */
  made: boolean
  onMade: () => void
  onLeave: () => void
}

/** After the first call: the rule that would have answered it, where a safe one exists, and how far the apps came. */
export function FirstRule({ call, Found, made, onMade, onLeave }: FirstRuleProps) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const [panel, setPanel] = useState(false)
  const asked = mayBeOffered(call)
  const { data, error } = useLoaded('widen', asked ? [{ callId: call.id }] : null)
  const offer = safest(data ?? [])
  const making = useAction(
    async () => {
      if (!offer) return
      await desk.createRule(offer.rule)
      onMade()
    },
    { renews: ['firstSteps', 'rules', 'suggestions'] },
  )
  const wrong = making.error ?? error
  const offered = offer !== null && !made
  return (
    <section className={css.welcome} aria-labelledby="welcome-title">
      <h2 className={css.title} id="welcome-title">
        {t('welcome.firstTitle')}
      </h2>
      {made ? (
        <p className={css.made} role="status" tabIndex={-1} ref={focus}>
          {tx('welcome.ruleMade', { rules: <a href="#/rules">{t('welcome.rules')}</a> })}
        </p>
      ) : offer ? (
        <FirstOffer offer={offer} call={call} />
      ) : (
        !error && <p role="status">{t(asked && !data ? 'common.loading' : 'welcome.ruleNone')}</p>
      )}
      <Alert>{wrong && errorText(t, wrong)}</Alert>
      <Found onPanel={setPanel} />
      <div className={panel ? css.end : css.foot}>
        {offered && (
          <Button look="strong" disabled={making.busy} onClick={() => void making.run()}>
            {t('welcome.makeRule')}
          </Button>
        )}
        <Button disabled={making.busy} onClick={onLeave}>
          {t(offered ? 'welcome.leaveRule' : 'common.close')}
        </Button>
      </div>
    </section>
  )
}

/** The button that led here goes. */
function focus(words: HTMLElement | null): void {
  words?.focus()
}

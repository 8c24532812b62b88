import type { ReactNode } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useLive } from '../../desk/live'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { useI18n } from './part'
import css from './welcome.module.css'

const steps = ['servers', 'agents', 'rules'] as const

/** What a new desk is for, three steps to begin, and a call to try it with; its children once all is done. */
export function Welcome({ children }: { children?: ReactNode }) {
  const { t } = useI18n()
  const desk = useDesk()
  const { data } = useLive('firstSteps')
  const { busy, error, run } = useAction(() => desk.demo())
  if (!data || (data.servers && data.agents && data.rules && data.calls)) return data ? children : null
  return (
    <section className={css.welcome} aria-labelledby="welcome-title">
      <h2 className={css.title} id="welcome-title">
        {t('welcome.title')}
      </h2>
      <p className={css.lead}>{t('welcome.lead')}</p>
      <ol className={css.steps}>
        {steps.map((step, i) => (
          <li key={step} className={css.step}>
            <span className={data[step] ? css.done : css.number} aria-hidden="true">
              {data[step] ? <Icon name="allow" /> : i + 1}
            </span>
            <div>
              <h3 className={css.name}>
                <a href={`#/${step}`}>{t(`welcome.${step}`)}</a>
                {data[step] && <span className={css.state}> {t('welcome.done')}</span>}
              </h3>
              <p>{t(`welcome.${step}Text`)}</p>
            </div>
          </li>
        ))}
      </ol>
      <Alert>{error && errorText(t, error)}</Alert>
      <p className={css.demo}>
        <Button look="strong" disabled={busy} onClick={() => void run()}>
          {t('welcome.demo')}
        </Button>
        <span>{t('welcome.demoText')}</span>
      </p>
    </section>
  )
}

import { useState, type ComponentType } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { useI18n } from './part'
import css from './welcome.module.css'

/** What a new desk is for, the apps that can be connected to it, and a call to try it with. */
export function Greeting({ Found }: { Found: ComponentType<{ onPanel: (open: boolean) => void }> }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const [panel, setPanel] = useState(false)
  const { busy, error, run } = useAction(() => desk.demo())
  return (
    <section className={css.welcome} aria-labelledby="welcome-title">
      <h2 className={css.title} id="welcome-title">
        {t('welcome.title')}
      </h2>
      <p className={css.lead}>{t('welcome.lead')}</p>
      <Found onPanel={setPanel} />
      <p className={css.soft}>
        {tx('welcome.byHand', { servers: <a href="#/servers">{t('welcome.servers')}</a>, agents: <a href="#/agents">{t('welcome.agents')}</a> })}
      </p>
      <p className={css.soft}>{t('welcome.demoText')}</p>
      <Alert>{error && errorText(t, error)}</Alert>
      <div className={panel ? css.end : css.foot}>
        <Button disabled={busy} onClick={() => void run()}>
          {t('welcome.demo')}
        </Button>
      </div>
    </section>
  )
}

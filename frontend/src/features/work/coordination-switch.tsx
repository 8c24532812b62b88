import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Check } from '../../ui/check'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'
import css from './work-screen.module.css'

/** Whether agents have the tools for tasks and conversations: off until a person turns it on. */
export function CoordinationSwitch() {
  const { t } = useI18n()
  const desk = useDesk()
  const { data, error } = useLoaded('coordination')
  const { asked, error: refused, run } = useAction(async (on: boolean) => (await desk.work()).turn(on), { renews: ['coordination', 'servers', 'rules'] })
  const wrong = refused ?? error
  return (
    <div className={css.switch}>
      {data && (
        <>
          <Check label={t('work.switch')} checked={asked ? asked[0] : data.on} disabled={data.taken && !data.on} onChange={(on) => void run(on)} />
          <p className={css.soft}>{t(data.on ? 'work.switchOn' : 'work.switchOff')}</p>
        </>
      )}
      {data?.taken && <Notice tone="care">{t('work.taken')}</Notice>}
      <Alert>{wrong && errorText(t, wrong)}</Alert>
    </div>
  )
}

import { useI18n } from './screen'
import css from './servers-screen.module.css'

/** What a server of the desk's own is, and where it is turned on and off: nothing of its entry is a person's. */
export function BuiltinNote() {
  const { t } = useI18n()
  return (
    <>
      <p className={css.command}>{t('servers.builtin')}</p>
      <p className={css.tools}>
        <a href="#/work">{t('servers.builtinSwitch')}</a>
      </p>
    </>
  )
}

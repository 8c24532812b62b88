import { useLive } from '../desk/live'
import { useI18n } from '../i18n/i18n'
import css from './navigation.module.css'

/** Which desk this is: its version, and whether it is the window or a browser. */
export function FaceLine() {
  const { t } = useI18n()
  const { data } = useLive('info')
  if (!data) return null
  return (
    <p className={css.face}>
      {data.version} · {t(`face.${data.face}`)}
    </p>
  )
}

import type { Desk } from '../desk/desk'
import { useDeskData } from '../desk/use-desk-data'
import { useI18n } from '../i18n/i18n'
import css from './navigation.module.css'

const never: string[] = ['desk.']

const load = (desk: Desk) => desk.info()

/** Which desk this is: its version, and whether it is the window or a browser. */
export function FaceLine() {
  const { t } = useI18n()
  const { data } = useDeskData(load, never)
  if (!data) return null
  return (
    <p className={css.face}>
      {data.version} · {t(`face.${data.face}`)}
    </p>
  )
}

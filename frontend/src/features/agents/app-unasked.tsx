import type { ClientApp } from '../../desk/types'
import { listed } from '../../i18n/listed'
import { isKey } from '../../i18n/words'
import css from './found-apps.module.css'
import { useI18n } from './screen'

/** What an app can do; the other codes say why nothing asks. */
const acts = new Set<string>(['runs_commands', 'edits_files', 'servers_past_desk'])

/** What an app may do today without a question to the desk, in a line, and folded, why. */
export function AppUnasked({ app: { unasked } }: { app: ClientApp }) {
  const { language, t } = useI18n()
  const word = (code: string) => {
    const key = `apps.unasked.${code}`
    return isKey<'apps.unasked.side_door'>(key) ? t(key) : code
  }
  if (unasked.length === 0) return <p className={css.soft}>{t('apps.unaskedNothing')}</p>
  const can = unasked.filter((code) => acts.has(code))
  const why = unasked.filter((code) => !acts.has(code))
  const reasons = (
    <ul className={css.reasons}>
      {why.map((code) => (
        <li key={code}>{word(code)}</li>
      ))}
    </ul>
  )
  return (
    <>
      <p className={css.soft}>
        {t('apps.unaskedTitle')} {listed(language, 'conjunction', can.map(word))}
      </p>
      {can.length === 0 && reasons}
      {can.length > 0 && why.length > 0 && (
        <details className={css.soft}>
          <summary>{t('apps.unaskedWhy', { count: why.length })}</summary>
          {reasons}
        </details>
      )}
    </>
  )
}

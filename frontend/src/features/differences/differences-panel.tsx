import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import type { Difference, Version } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { DifferenceRow } from './difference-row'
import css from './differences.module.css'
import { useI18n } from './part'

/** What is not as the journal says that it was left, on every screen until a person has picked a version of each. */
export function DifferencesPanel() {
  const { t } = useI18n()
  const desk = useDesk()
  const { data } = useLoaded('differences')
  const { busy, error: failed, run: take } = useAction(
    (which: readonly Difference[], version: Version) => desk.settleDifferences(which.map(({ id }) => id), version),
    { renews: ['differences'] },
  )
  if (!data || data.length === 0) return null
  const several = data.filter(({ set }) => set !== 'journal')
  return (
    <section className={css.panel} aria-labelledby="differences-title">
      <h2 id="differences-title" className={css.title}>
        {t('differences.title')}
      </h2>
      <p>{t('differences.lead')}</p>
      <Alert>{failed && errorText(t, failed)}</Alert>
      <ul className={css.list}>
        {data.map((difference) => (
          <DifferenceRow key={difference.id} difference={difference} busy={busy} onTake={(version) => void take([difference], version)} />
        ))}
      </ul>
      {several.length > 1 && (
        <p className={css.answers}>
          <Button disabled={busy} onClick={() => void take(several, 'journal')}>
            {t('differences.allJournal')}
          </Button>
          <Button disabled={busy} onClick={() => void take(several, 'table')}>
            {t('differences.allTable')}
          </Button>
        </p>
      )}
    </section>
  )
}

import { useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { Alert } from '../../ui/alert'
import { Figures } from './figures'
import { useI18n } from './screen'
import { ownZone } from './zone'
import css from './insights-screen.module.css'

/** What happened the last time that nobody was at the desk. */
export function Absence() {
  const { t, tx } = useI18n()
  const away = useLoaded('away')
  const from = away.data?.from ?? null
  const counted = useLoaded('insights', from === null || !away.data ? null : [{ from, to: away.data.to, bucket: bucketFor(away.data), zone: ownZone() }])
  const error = away.error ?? counted.error
  const known = from !== null || (away.data === null && away.error === null)
  return (
    <section className={css.part} aria-labelledby="insights-absence">
      <h2 className={css.heading} id="insights-absence">
        {t('insights.away')}
      </h2>
      <Alert>{error && errorText(t, error)}</Alert>
      {away.data ? (
        <>
          <p className={css.soft}>{tx('insights.awayTime', { from: <When at={away.data.from} />, to: <When at={away.data.to} /> })}</p>
          {counted.data && <Figures report={counted.data} />}
        </>
      ) : (
        known && <p className={css.soft}>{t('insights.neverAway')}</p>
      )}
    </section>
  )
}

const monthMs = 30 * 24 * 3600_000

/** The buckets are not shown: as few as there can be. */
function bucketFor({ from, to }: { from: string; to: string }): 'hour' | 'day' {
  return Date.parse(to) - Date.parse(from) < monthMs ? 'hour' : 'day'
}

import { useLoaded } from '../../desk/queries'
import type { Stretch } from '../../desk/types'
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
  const { data, error: failed } = useLoaded('away')
  const away = data?.away ?? null
  const counted = useLoaded('insights', away && [{ ...away, bucket: bucketFor(away), zone: ownZone() }])
  const error = failed ?? counted.error
  return (
    <section className={css.part} aria-labelledby="insights-absence">
      <h2 className={css.heading} id="insights-absence">
        {t('insights.away')}
      </h2>
      <Alert>{error && errorText(t, error)}</Alert>
      {data?.away === null && <p className={css.soft}>{t('insights.neverAway')}</p>}
      {away && <p className={css.soft}>{tx('insights.awayTime', { from: <When at={away.from} />, to: <When at={away.to} /> })}</p>}
      {counted.data && <Figures report={counted.data} />}
    </section>
  )
}

const monthMs = 30 * 24 * 3600_000

/** The buckets are not shown: as few as there can be. */
function bucketFor({ from, to }: Stretch): 'hour' | 'day' {
  return Date.parse(to) - Date.parse(from) < monthMs ? 'hour' : 'day'
}

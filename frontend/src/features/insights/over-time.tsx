import { useState } from 'react'
import { useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { Alert } from '../../ui/alert'
import { useHour } from '../../time/use-hour'
import { Select } from '../../ui/select'
import { BarChart } from './bar-chart'
import { BucketTable } from './bucket-table'
import { FatigueNote } from './fatigue-note'
import { perHundred, useBucketWords } from './use-bucket-words'
import { useI18n } from './screen'
import { ownZone } from './zone'
import css from './insights-screen.module.css'

type Span = 'day' | 'week' | 'month'

const days: Record<Span, number> = { day: 1, week: 7, month: 30 }

/** How often a person was asked, how fast answers came, and how many came too fast, in buckets of time. */
export function OverTime() {
  const { t, tx } = useI18n()
  const [span, setSpan] = useState<Span>('week')
  const hour = useHour()
  const options = [
    ['day', t('insights.span.day')],
    ['week', t('insights.span.week')],
    ['month', t('insights.span.month')],
  ] as const
  const words = useBucketWords(span === 'day')
  const { data, error } = useLoaded('insights', [{ from: begin(hour, span), bucket: span === 'day' ? 'hour' : 'day', zone: ownZone() }])
  const buckets = data?.buckets ?? []
  const counted = data && data.total.calls + data.total.approved + data.total.declined + data.total.expired > 0
  return (
    <section className={css.part} aria-labelledby="insights-time">
      <header className={css.partHead}>
        <h2 className={css.heading} id="insights-time">
          {t('insights.overTime')}
        </h2>
        <Select label={t('insights.span')} place="beside" value={span} options={options} onChange={setSpan} />
      </header>
      <Alert>{error && errorText(t, error)}</Alert>
      {data && <FatigueNote report={data} />}
      {data && !counted && <p className={css.soft}>{t('insights.nothing')}</p>}
      {counted && (
        <>
          {data.since !== null && <p className={css.soft}>{tx('insights.since', { time: <When at={data.since} /> })}</p>}
          <div className={css.charts}>
            <BarChart title={t('insights.perHundred')} values={buckets.map(perHundred)} names={buckets.map(words.when)} write={words.rate} whole={perHundred(data.total)} />
            <BarChart title={t('insights.median')} values={buckets.map(({ medianMs }) => medianMs)} names={buckets.map(words.when)} write={words.wait} whole={data.total.medianMs} />
            <BarChart title={t('insights.unread')} values={buckets.map(({ unread }) => unread)} names={buckets.map(words.when)} write={words.count} whole={data.total.unread} care />
          </div>
          <BucketTable buckets={buckets} total={data.total} words={words} />
        </>
      )}
    </section>
  )
}

/** When a span begins that ends now: on a full hour of the day before, or on the first of its days. */
function begin(now: number, span: Span): string {
  const from = new Date(now)
  if (span === 'day') from.setTime(now - 24 * 3600_000)
  else from.setDate(from.getDate() - days[span] + 1)
  if (span === 'day') from.setMinutes(0, 0, 0)
  else from.setHours(0, 0, 0, 0)
  return from.toISOString()
}

import type { Bucket } from '../../desk/types'
import { perHundred, type BucketWords } from './use-bucket-words'
import { useI18n } from './screen'
import css from './bucket-table.module.css'

interface Props {
  buckets: readonly Bucket[]
  total: Bucket
  words: BucketWords
}

/** The numbers of the charts and those beside them, the newest first. Buckets without calls and answers are left out. */
export function BucketTable({ buckets, total, words }: Props) {
  const { t } = useI18n()
  const shown = buckets.filter(({ calls, approved, declined, expired }) => calls + approved + declined + expired > 0).toReversed()
  return (
    <div className={css.scroll} role="region" aria-label={t('insights.table')} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('insights.when')}</th>
            <th scope="col">{t('insights.calls')}</th>
            <th scope="col">{t('insights.asked')}</th>
            <th scope="col">{t('insights.perHundred')}</th>
            <th scope="col">{t('insights.approved')}</th>
            <th scope="col">{t('insights.declined')}</th>
            <th scope="col">{t('insights.expired')}</th>
            <th scope="col">{t('insights.median')}</th>
            <th scope="col">{t('insights.unread')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((bucket) => (
            <Row key={bucket.from} name={words.when(bucket)} bucket={bucket} words={words} />
          ))}
        </tbody>
        <tfoot>
          <Row name={t('insights.total')} bucket={total} words={words} />
        </tfoot>
      </table>
    </div>
  )
}

function Row({ name, bucket, words: { count, rate, wait } }: { name: string; bucket: Bucket; words: BucketWords }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{count(bucket.calls)}</td>
      <td>{count(bucket.questions)}</td>
      <td>{rate(perHundred(bucket))}</td>
      <td>{count(bucket.approved)}</td>
      <td>{count(bucket.declined)}</td>
      <td>{count(bucket.expired)}</td>
      <td>{wait(bucket.medianMs)}</td>
      <td>{count(bucket.unread)}</td>
    </tr>
  )
}

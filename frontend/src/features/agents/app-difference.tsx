import type { FileDifference } from '../../desk/types'
import { useDifference } from '../../i18n/use-difference'
import { Difference } from '../../ui/diff-view/difference'
import css from './apps.module.css'
import { useI18n } from './screen'

/** How a file differs, line by line, with secrets masked. */
export function AppDifference({ of, label }: { of: FileDifference; label: string }) {
  const { t } = useI18n()
  const { words, counts, notes } = useDifference()({ ...of, cut: false }) // here it is lines that are cut
  if (of.lines.length === 0) return <p>{t('apps.same')}</p>
  return (
    <div className={css.difference}>
      <Difference lines={of.lines} label={label} words={words} counts={counts} notes={of.cut ? [t('apps.cut'), ...notes] : notes} />
    </div>
  )
}

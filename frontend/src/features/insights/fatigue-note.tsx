import { useLoaded } from '../../desk/queries'
import type { Insights } from '../../desk/types'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { When } from '../../i18n/when'
import { Notice } from '../../ui/notice'
import { quote } from '../../ui/quote'
import { useI18n } from './screen'
import css from './insights-screen.module.css'

/** Where questions tire: what shows it, the rule that would have saved most of them, and that buttons take longer meanwhile. */
export function FatigueNote({ report: { fatigue, total } }: { report: Insights }) {
  const { t, tx } = useI18n()
  const { whole } = useCoverageWords(quote)
  const until = useLoaded('arming').data?.until ?? null
  const suggestions = useLoaded('suggestions').data ?? []
  if (fatigue.length === 0 && until === null) return null
  const best = suggestions.toSorted((a, b) => b.answers - a.answers)[0]
  return (
    <Notice tone="care" role="status">
      <div className={css.note}>
        {fatigue.includes('many') && <p>{t('insights.many', { count: total.questions, calls: total.calls })}</p>}
        {fatigue.includes('unread') && <p>{t('insights.manyUnread', { count: total.unread, answers: total.approved + total.declined })}</p>}
        {until !== null && <p>{tx('insights.slow', { time: <When at={until} /> })}</p>}
        {best && (
          <p>
            {tx('insights.best', { count: best.answers, tools: whole(best.covers) })} <a href="#/rules?suggestions=1">{t('insights.look')}</a>
          </p>
        )}
        <p>{t('insights.rest')}</p>
      </div>
    </Notice>
  )
}

import { useLoaded } from '../../desk/queries'
import type { Insights } from '../../desk/types'
import { write } from '../../i18n/format'
import { CutText } from '../../ui/cut-text'
import { useI18n } from './screen'
import css from './insights-screen.module.css'

const shownRules = 5

/** The numbers of a stretch of time: each with its name, and which rules allowed. */
export function Figures({ report: { total, inDoubt, rules } }: { report: Insights }) {
  const { t, tx, language } = useI18n()
  const known = useLoaded('rules').data?.rules ?? []
  const figures = [
    [t('insights.asked'), total.questions, false],
    [t('insights.approved'), total.approved, false],
    [t('insights.declined'), total.declined, false],
    [t('insights.expired'), total.expired, total.expired > 0],
    [t('insights.withdrawn'), total.cancelled + total.settled, false],
    [t('insights.allowed'), total.allowed + total.granted, false],
    [t('insights.denied'), total.denied + total.repeated, false],
  ] as const
  const named = (id: string) => {
    const rule = known.find((rule) => rule.id === id)
    return rule ? <CutText>{rule.note || rule.toolName || rule.toolPattern || rule.serverId || id}</CutText> : t('insights.goneRule')
  }
  return (
    <>
      <dl className={css.figures}>
        {figures.map(([name, count, care]) => (
          <div key={name} className={css.figure} data-care={care}>
            <dt>{name}</dt>
            <dd>{write(count, language)}</dd>
          </div>
        ))}
        <div className={css.figure} data-care={inDoubt > 0}>
          <dt>{t('insights.inDoubt')}</dt>
          <dd>{inDoubt > 0 ? <a href="#/activity">{write(inDoubt, language)}</a> : write(0, language)}</dd>
        </div>
      </dl>
      {rules.length > 0 && (
        <>
          <h3 className={css.small}>{t('insights.byRule')}</h3>
          <ul className={css.rules}>
            {rules.slice(0, shownRules).map(({ ruleId, calls }) => (
              <li key={ruleId}>
                {tx('insights.ruleCalls', { count: calls, rule: <a href={`#/rules?rule=${encodeURIComponent(ruleId)}`}>{named(ruleId)}</a> })}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

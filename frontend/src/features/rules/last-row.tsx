import { useLoaded } from '../../desk/queries'
import type { Effect } from '../../desk/types'
import { EffectBadge } from './effect-badge'
import css from './rule-row.module.css'
import { useI18n } from './screen'

/** The end of every judgement: what nothing matched, asks, and of readings the settings decide. */
export function LastRow({ dropHere }: { dropHere: boolean }) {
  const { t } = useI18n()
  const reads = useLoaded('settings').data?.reads
  return (
    <div className={css.last} data-drop={dropHere}>
      <Outcome what={t('rules.nothingMatched')} effect="ask" />
      <p className={css.hits}>{t('rules.nothingMatchedText')}</p>
      {reads && (
        <>
          <Outcome what={t('rules.readResources')} effect={reads.resources} />
          <Outcome what={t('rules.readPrompts')} effect={reads.prompts} />
          <p className={css.hits}>
            <a href="#/settings">{t('rules.readText')}</a>
          </p>
        </>
      )}
    </div>
  )
}

function Outcome({ what, effect }: { what: string; effect: Effect }) {
  return (
    <p className={css.lastWords}>
      <strong>{what}</strong>
      <span aria-hidden="true">→</span>
      <EffectBadge effect={effect} />
    </p>
  )
}

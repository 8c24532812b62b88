import type { Rule, RuleDiff } from '../../desk/types'
import { VirtualList } from '../../ui/virtual-list/virtual-list'
import css from './import.module.css'
import { ImportRow, type ImportStep } from './import-row'
import { NarrowerLine } from './narrower-line'
import { useI18n } from './screen'

interface Props {
  diff: RuleDiff
  /** It is that of what is written now; until it is, nothing of it can be ticked. */
  current: boolean
  accepted: ReadonlySet<string>
  onAccept: (id: string, on: boolean) => void
}

const keyOf = (step: ImportStep) => step.rule.id

/** What an import would add, change and remove; what newly allows comes first and waits for a tick. */
export function ImportDiff({ diff, current, accepted, onAccept }: Props) {
  const { t } = useI18n()
  const steps = stepsOf(diff)
  return (
    <>
      <p role="status">
        {current
          ? t('rules.importSum', { added: diff.added.length, changed: diff.changed.length, removed: diff.removed.length, same: diff.same })
          : t('common.loading')}
      </p>
      {current && steps.length > 0 && <NarrowerLine narrower={diff.narrower} />}
      {steps.length > 0 && (
        <div className={css.box} tabIndex={0} aria-busy={!current} role="region" aria-label={t('rules.importDiff')}>
          <VirtualList label={t('rules.importDiff')} items={steps} keyOf={keyOf} estimate={72}>
            {(step) => (
              <ImportRow
                step={step}
                accepted={accepted.has(step.rule.id)}
                frozen={!current}
                onAccept={(on) => {
                  onAccept(step.rule.id, on)
                }}
              />
            )}
          </VirtualList>
        </div>
      )}
    </>
  )
}

function stepsOf({ added, changed, removed, allows }: RuleDiff): ImportStep[] {
  const newly = new Set(allows)
  const step = (kind: ImportStep['kind']) => (rule: Rule) => ({ kind, rule, before: null, allows: newly.has(rule.id) })
  const steps: ImportStep[] = [
    ...added.map(step('added')),
    ...changed.map(({ before, after }) => ({ ...step('changed')(after), before })),
    ...removed.map(step('removed')),
  ]
  return [...steps.filter((s) => s.allows), ...steps.filter((s) => !s.allows)]
}

import type { Grant } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { Age } from '../../i18n/age'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import type { RowState } from '../../ui/object-list/object-list'
import { ObjectRow } from '../../ui/object-list/object-row'
import { quoteCut } from '../../ui/quote'
import { clockText, useTimeLeft } from '../../ui/use-time-left'
import css from './grants-screen.module.css'
import { useI18n } from './screen'

interface Props {
  grant: Grant
  state: RowState
  onEnd: () => Promise<unknown>
}

/** One remembered answer: what it covers, how often it was used, how long it lasts. */
export function GrantRow({ grant, state, onEnd }: Props) {
  const { t, tx } = useI18n()
  const { whole } = useCoverageWords(quoteCut)
  const { busy, run } = useAction(onEnd)
  return (
    <ObjectRow
      state={state}
      sentence={whole(grant.covers)}
      facts={
        <>
          <span>{tx('grants.session', { session: <AgentText as="path">{grant.sessionId}</AgentText> })}</span>
          <span>{t(`grants.upTo.${grant.covers.params.maxRisk}`)}</span>
          <span>{t('grants.hits', { count: grant.hits })}</span>
        </>
      }
      status={
        <Badge icon={grant.approved ? 'allow' : 'deny'} tone={grant.approved && grant.scope !== 'mode' ? 'allow' : 'deny'}>
          {t(grant.approved ? 'effect.allow' : 'effect.deny')}
        </Badge>
      }
      age={
        <>
          <Age at={grant.createdAt} />
          <TimeLeft until={grant.expiresAt} />
        </>
      }
      actions={
        <>
          {grant.approved && grant.scope !== 'mode' && <a href={`#/rules?grant=${encodeURIComponent(grant.id)}`}>{t('grants.keep')}</a>}
          <Button
            small
            aria-disabled={busy}
            onClick={() => {
              if (!busy) void run()
            }}
          >
            {t('grants.end')}
          </Button>
        </>
      }
    />
  )
}

/** A timer: screen readers read it when asked, not every second. */
function TimeLeft({ until }: { until: string | null }) {
  const { t } = useI18n()
  const left = useTimeLeft(until)
  if (left === null) return <span>{t('grants.withSession')}</span>
  return (
    <span role="timer" className={css.left}>
      {t('grants.left', { time: clockText(left) })}
    </span>
  )
}

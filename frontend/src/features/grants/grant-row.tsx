import type { Grant } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { clockText, useTimeLeft } from '../../ui/use-time-left'
import { When } from '../../i18n/when'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import css from './grants-screen.module.css'
import { useI18n } from './screen'

interface Props {
  grant: Grant
  onEnd: () => Promise<unknown>
}

/** One remembered answer: what it covers, how often it was used, how long it lasts. */
export function GrantRow({ grant, onEnd }: Props) {
  const { t, tx } = useI18n()
  const { whole } = useCoverageWords(quote)
  const { busy, run } = useAction(onEnd)
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.reach}>
          <Badge icon={grant.approved ? 'allow' : 'deny'} tone={grant.approved && grant.scope !== 'mode' ? 'allow' : 'deny'}>
            {t(grant.approved ? 'effect.allow' : 'effect.deny')}
          </Badge>
          <span>{whole(grant.covers)}</span>
        </p>
        <p className={css.about}>
          <span>
            {tx('grants.of', {
              agent: <AgentText>{grant.agentName}</AgentText>,
              session: <AgentText as="path">{grant.sessionId}</AgentText>,
            })}
          </span>
          <span>{t(`grants.upTo.${grant.covers.params.maxRisk}`)}</span>
          <span>{t('grants.hits', { count: grant.hits })}</span>
          <span>{tx('grants.since', { time: <When at={grant.createdAt} /> })}</span>
          <TimeLeft until={grant.expiresAt} />
        </p>
      </div>
      {grant.approved && grant.scope !== 'mode' && <a href={`#/rules?grant=${encodeURIComponent(grant.id)}`}>{t('grants.keep')}</a>}
      <Button disabled={busy} onClick={() => void run()}>
        {t('grants.end')}
      </Button>
    </li>
  )
}

const quote = (text: string, as?: 'path') => <AgentText as={as ?? 'name'}>{text}</AgentText>

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

import type { Preview } from '../../desk/types'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { VirtualList } from '../../ui/virtual-list/virtual-list'
import { EffectBadge } from './effect-badge'
import css from './preview.module.css'
import { useI18n } from './screen'

type Changed = Preview['changed'][number]

const keyOf = (call: Changed) => call.callId

/** The past calls that would be decided otherwise. */
export function PreviewCalls({ preview: { changed, changedTotal } }: { preview: Preview }) {
  const { t } = useI18n()
  return (
    <>
      {changedTotal > changed.length && <p className={css.newest}>{t('rules.previewNewest', { count: changed.length })}</p>}
      <div className={css.box} tabIndex={0} role="region" aria-label={t('rules.previewCalls')}>
        <VirtualList label={t('rules.previewCalls')} items={changed} keyOf={keyOf} estimate={38}>
          {(call) => <Row call={call} />}
        </VirtualList>
      </div>
    </>
  )
}

function Row({ call }: { call: Changed }) {
  const { t } = useI18n()
  return (
    <div className={css.call}>
      {call.createdAt !== '' && (
        <span className={css.when}>
          <When at={call.createdAt} />
        </span>
      )}
      <span className={css.called}>
        {call.serverId !== null && (
          <>
            <AgentText>{call.serverId}</AgentText> ·{' '}
          </>
        )}
        <AgentText>{call.toolName}</AgentText>
      </span>
      <span className={css.change}>
        <EffectBadge effect={call.before} />
        <span aria-hidden="true">→</span>
        <span className="visually-hidden">{t('rules.becomes')}</span>
        <EffectBadge effect={call.after} />
        {call.declined && (
          <Badge icon="warning" tone="care">
            {t('rules.youDeclined')}
          </Badge>
        )}
      </span>
    </div>
  )
}

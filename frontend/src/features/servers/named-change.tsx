import type { ToolLook } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Notice } from '../../ui/notice'
import css from './all-changes.module.css'
import { FoldedDifference } from './folded-difference'
import { useI18n } from './screen'
import { nameOfDefinition, type Unfolded } from './use-unfolded'

/** What changed of one tool among several, its launch aside. */
export function NamedChange({ look, again, unfolded }: { look: ToolLook; again: boolean; unfolded: Unfolded }) {
  const { t } = useI18n()
  return (
    <li className={css.change}>
      <h3 className={css.tool}>
        <AgentText>{look.toolName}</AgentText>
        {again && (
          <Badge icon="warning" tone="care">
            {t('servers.againOne')}
          </Badge>
        )}
      </h3>
      {look.back && <Notice tone="care">{t('tool.back')}</Notice>}
      {look.changed === 'unknown' && <Notice tone="care">{t('tool.unknown')}</Notice>}
      {look.definition ? (
        <FoldedDifference
          name={nameOfDefinition(look.toolName, look.definition)}
          label={t('tool.definition')}
          text={look.definition}
          unfolded={unfolded}
        />
      ) : (
        <p className={css.same}>{t('servers.sameDefinition')}</p>
      )}
    </li>
  )
}

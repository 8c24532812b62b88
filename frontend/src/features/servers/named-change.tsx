import type { ToolLook } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { useDifference } from '../../i18n/use-difference'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Difference } from '../../ui/diff-view/difference'
import { Notice } from '../../ui/notice'
import css from './all-changes.module.css'

/** What changed of one tool among several, its launch aside. */
export function NamedChange({ look, again }: { look: ToolLook; again: boolean }) {
  const { t } = useI18n()
  const said = useDifference()
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
      {look.definition ? <Difference label={t('tool.definition')} lines={look.definition.lines} {...said(look.definition)} /> : <p className={css.same}>{t('servers.sameDefinition')}</p>}
    </li>
  )
}

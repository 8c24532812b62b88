import type { ClientTrial } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import css from './apps.module.css'
import { useI18n } from './screen'

/** Servers that do not start even without the desk, and why. */
export function AppTrials({ of }: { of: readonly ClientTrial[] }) {
  const { t } = useI18n()
  return (
    <Notice tone="care" role="alert">
      <p>{t('apps.broken')}</p>
      <ul className={css.entries}>
        {of.map(({ error, key, serverId }) => (
          <li key={serverId}>
            <AgentText>{key}</AgentText>: <AgentText as="prose">{error}</AgentText>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

import type { ReactNode } from 'react'
import type { Call } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { AskerText } from '../../../ui/asker-text'
import css from './approval-dialog.module.css'
import { Fact } from './fact'

interface Props {
  call: Call
  /** Why a person is asked; nothing where nobody is. */
  why: ReactNode
}

/** Who asks, with which tool, from where, and why a person is asked: names in full, folded away. */
export function CallFacts({ call, why }: Props) {
  const { t, tx } = useI18n()
  return (
    <details className={css.facts}>
      <summary>{t('approval.facts')}</summary>
      <dl className={css.ledger}>
        <Fact label={t('approval.who')}>
          <ul className={css.origin}>
            <li>
              <AskerText of={call} />
            </li>
            <li>{tx('approval.session', { session: <AgentText as="path">{call.sessionId}</AgentText> })}</li>
            {call.runId !== call.sessionId && <li>{tx('approval.run', { run: <AgentText as="path">{call.runId}</AgentText> })}</li>}
            <li>
              {call.cwd === null ? t('approval.noFolder') : tx('approval.folder', { folder: <AgentText as="path">{call.cwd}</AgentText> })}
            </li>
          </ul>
        </Fact>
        <Fact label={t('approval.tool')}>
          <ToolOf call={call} />
        </Fact>
        {why}
      </dl>
    </details>
  )
}

/** The tool and its server by their whole names. */
function ToolOf({ call: { toolName, serverId } }: { call: Call }) {
  const { t, tx } = useI18n()
  const tool = <AgentText>{toolName}</AgentText>
  return serverId === null ? <>{tool} {t('approval.ownTool')}</> : tx('approval.toolOf', { tool, server: <AgentText>{serverId}</AgentText> })
}

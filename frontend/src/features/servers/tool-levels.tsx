import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { Risk, Server, ToolLevel } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Badge } from '../../ui/badge'
import { Select } from '../../ui/select'
import { useI18n } from './screen'
import css from './servers-screen.module.css'

/** The tools of a server, each with the risk that a person gives it. */
export function ToolLevels({ server: { id, tools, toolLevels = [] } }: { server: Server }) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const names = [...new Set([...tools, ...toolLevels.map(({ toolName }) => toolName)])].sort()
  if (names.length === 0) return null
  const fallen = toolLevels.filter((level) => level.void).length
  return (
    <details
      className={css.changed}
      onToggle={(e) => {
        setOpen(e.currentTarget.open)
      }}
    >
      <summary className={css.levelsTitle}>
        {t('servers.levels')}{' '}
        {fallen > 0 && (
          <Badge icon="warning" tone="care">
            {t('servers.levelsVoid', { count: fallen })}
          </Badge>
        )}
      </summary>
      {open && (
        <>
          <p className={css.tools}>{t('servers.levelsLead')}</p>
          <ul className={css.levels}>
            {names.map((name) => (
              <Level key={name} server={id} tool={name} level={toolLevels.find(({ toolName }) => toolName === name)} />
            ))}
          </ul>
        </>
      )}
    </details>
  )
}

function Level({ server, tool, level }: { server: string; tool: string; level: ToolLevel | undefined }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const { busy, error, run } = useAction((risk: Risk | null) => desk.setToolRisk(server, tool, risk), { renews: ['servers'] })
  const said = level && { risk: t(`risk.${level.risk}`), when: <When at={level.at} /> }
  return (
    <li className={css.level}>
      <AgentText>{tool}</AgentText>
      <Select
        label={t('servers.levelOne', { tool })}
        place="hidden"
        small
        disabled={busy}
        value={level && !level.void ? level.risk : 'own'}
        options={[['own', t('servers.levelOwn')], ['low', t('risk.low')], ['medium', t('risk.medium')], ['high', t('risk.high')]]}
        onChange={(chosen) => void run(chosen === 'own' ? null : chosen)}
      />
      {said && <span className={css.tools}>{level.void ? tx('servers.levelVoid', said) : tx('servers.levelSet', { when: said.when })}</span>}
      <Alert>{error && errorText(t, error)}</Alert>
    </li>
  )
}

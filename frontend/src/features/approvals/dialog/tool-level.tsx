import { useDesk } from '../../../desk/desk-context'
import { useState } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useAction } from '../../../desk/use-action'
import { useCoded } from '../../../i18n/coded'
import { errorText } from '../../../i18n/error-text'
import { AgentText } from '../../../ui/agent-text'
import { Alert } from '../../../ui/alert'
import { Button } from '../../../ui/button'
import css from './approval-dialog.module.css'

/** The reasons that a person's own level for the tool stands in place of. */
const ofTheTool = ['hint', 'name_destroys', 'name_sends']

interface Props {
  call: PendingCall
  /** An answer is given: nothing else is done with the call before it is sent. */
  frozen: boolean
}

/** A way to call a tool medium from now on, where its name or its server alone made it high. */
export function ToolLevel({ call: { serverId, method, toolName, risk, riskReasons }, frozen }: Props) {
  const { t, tx, coded } = useCoded()
  const desk = useDesk()
  const [done, setDone] = useState(false)
  const { busy, error, run } = useAction(async () => {
    await desk.setToolRisk(serverId ?? '', toolName, 'medium')
    setDone(true)
  }, { renews: ['servers'] })
  const byTool = riskReasons.length > 0 && riskReasons.every(({ code }) => code !== null && ofTheTool.includes(code))
  if (!coded || serverId === null || method !== 'tools/call' || risk !== 'high' || !byTool) return null
  const names = { tool: <AgentText>{toolName}</AgentText>, server: <AgentText>{serverId}</AgentText> }
  if (done)
    return (
      <p className={css.soft} role="status">
        {tx('level.done', names)}
      </p>
    )
  return (
    <details className={css.level}>
      <summary>{tx('level.offer', names)}</summary>
      <p>{tx('level.means', names)}</p>
      <Alert>{error && errorText(t, error)}</Alert>
      <Button small disabled={frozen || busy} onClick={() => void run()}>
        {t('level.set')}
      </Button>
    </details>
  )
}

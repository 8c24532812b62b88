import { useState } from 'react'
import { useDesk } from './desk-context'
import { useAction } from './use-action'

/** A deny rule for exactly one tool, which no allow rule comes before. */
export function useBlockTool(serverId: string, toolName: string, note: string) {
  const desk = useDesk()
  const [blocked, setBlocked] = useState(false)
  const { busy, error, run } = useAction(async () => {
    const { rules } = await desk.rules()
    // Within one priority, deny comes first.
    const priority = rules.reduce((most, rule) => Math.max(most, rule.priority), 100)
    await desk.createRule({ serverId, method: 'tools/call', toolName, toolPattern: null, effect: 'deny', priority, enabled: true, note })
    setBlocked(true)
  })
  return { state: blocked ? 'blocked' : busy ? 'busy' : 'open', error, block: run } as const
}

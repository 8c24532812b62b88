import { useState } from 'react'
import { useDesk } from './desk-context'
import { DeskError } from './desk-error'

/** A deny rule for exactly one tool, which no allow rule comes before. */
export function useBlockTool(serverId: string, toolName: string, note: string) {
  const desk = useDesk()
  const [state, setState] = useState<'open' | 'busy' | 'blocked'>('open')
  const [error, setError] = useState<DeskError | null>(null)
  const block = async () => {
    setState('busy')
    setError(null)
    try {
      const { rules } = await desk.rules()
      // Within one priority, deny comes first.
      const priority = rules.reduce((most, rule) => Math.max(most, rule.priority), 100)
      await desk.createRule({ serverId, method: 'tools/call', toolName, toolPattern: null, effect: 'deny', priority, enabled: true, note })
      setState('blocked')
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setState('open')
    }
  }
  return { state, error, block }
}

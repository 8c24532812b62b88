import { useCallback } from 'react'
import type { Desk } from '../../desk/desk'
import type { PendingCall, ToolLook } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'

export interface ToolLooked {
  /** The desk has answered, if only that it cannot say. */
  known: boolean
  look: ToolLook | null
}

const kinds = ['servers.']

/** What changed of a call's tool, where that is why a person is asked; as it is now. Render it under a key of the call. */
export function useToolLook({ serverId, toolName, why }: PendingCall): ToolLooked {
  const changed = why.changed !== undefined && serverId !== null
  const load = useCallback((desk: Desk) => (changed ? desk.tool(serverId, toolName) : Promise.resolve(null)), [changed, serverId, toolName])
  const { data, error } = useDeskData(load, kinds)
  return { known: !changed || data !== null || error !== null, look: data }
}

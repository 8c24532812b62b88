import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import { load } from '../../desk/resources'
import type { ToolLook } from '../../desk/types'

/** Names what is shown of a tool, to tell it from what it may be later. */
export const nameOf = ({ shown: { definition, launch, back } }: ToolLook) => JSON.stringify([definition, launch, back])

/** Whether all that changed of a tool is shown: nothing was cut off, and no line left out. */
export const isWhole = ({ definition, launch }: ToolLook) => [definition, launch].every((text) => text === null || (!text.cut && text.more === 0))

/**
 * What changed of several tools, asked for once: what is shown does not change under a
 * person's eyes. lookAgain asks anew, and again names the tools that are others since.
 */
export function useLooks(server: string, names: readonly string[]) {
  const desk = useDesk()
  const [wanted] = useState(names)
  const [newer, setNewer] = useState<{ looks: ToolLook[]; again: string[] } | null>(null)
  const { data, error } = useLoaded('looks', [server, wanted])
  const looks = newer?.looks ?? data
  const lookAgain = async () => {
    const before = new Map((looks ?? []).map((look) => [look.toolName, nameOf(look)]))
    const found = await load(desk, ['looks', [server, wanted], ''])
    const again = found.filter((look) => before.get(look.toolName) !== nameOf(look)).map((look) => look.toolName)
    setNewer({ looks: found, again })
  }
  return { looks, again: newer?.again ?? [], error, lookAgain }
}

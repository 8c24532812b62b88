import { useEffect, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { ToolLook } from '../../desk/types'

const atOnce = 6

/** What changed of several tools, in their order; without those that did not change, or are not known any more. */
async function looksOf(desk: Desk, server: string, names: readonly string[]): Promise<ToolLook[]> {
  const found: (ToolLook | null)[] = []
  for (let from = 0; from < names.length; from += atOnce) found.push(...(await Promise.all(names.slice(from, from + atOnce).map((name) => lookOf(desk, server, name)))))
  return found.filter((look) => look?.changed != null) as ToolLook[]
}

async function lookOf(desk: Desk, server: string, name: string): Promise<ToolLook | null> {
  try {
    return await desk.tool(server, name)
  } catch (thrown) {
    const failed = DeskError.from(thrown)
    if (failed.code === 'not_found') return null
    throw failed
  }
}

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
  const [looks, setLooks] = useState<ToolLook[] | null>(null)
  const [again, setAgain] = useState<readonly string[]>([])
  const [error, setError] = useState<DeskError | null>(null)
  useEffect(() => {
    let left = false
    looksOf(desk, server, wanted).then(
      (found) => {
        if (!left) setLooks(found)
      },
      (thrown: unknown) => {
        if (!left) setError(DeskError.from(thrown))
      },
    )
    return () => {
      left = true
    }
  }, [desk, server, wanted])
  const lookAgain = async () => {
    const before = new Map((looks ?? []).map((look) => [look.toolName, nameOf(look)]))
    const found = await looksOf(desk, server, wanted)
    setAgain(found.filter((look) => before.get(look.toolName) !== nameOf(look)).map((look) => look.toolName))
    setLooks(found)
  }
  return { looks, again, error, lookAgain }
}

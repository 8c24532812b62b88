import { useState } from 'react'
import type { TextLook, ToolLook } from '../../desk/types'
import { isFolded } from '../../ui/diff-view/diff-view'

/** Names how the server is started or reached, whichever tool it is looked at for. */
export const nameOfLaunch = ({ before, after }: TextLook) => JSON.stringify([before, after])

/** Names what a tool says of itself. */
export const nameOfDefinition = (tool: string, { before, after }: TextLook) => JSON.stringify([tool, before, after])

/** Which differences are shown whole: those that are folded at first only once a person has unfolded them. */
export interface Unfolded {
  /** Whether nothing of a difference is folded, or was when it was unfolded. name is that of the difference. */
  isShown: (name: string, text: TextLook) => boolean
  /** All of the difference of this name was brought on the screen. */
  unfold: (name: string) => void
}

/** What a person unfolded of the changes of several tools. A difference that is another by now has another name, and is folded again. */
export function useUnfolded(): Unfolded {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  return {
    isShown: (name, { lines }) => names.has(name) || !isFolded(lines),
    unfold: (name) => {
      setNames((all) => new Set(all).add(name))
    },
  }
}

/** Whether all that changed of a tool is on the screen. */
export function isOnScreen({ toolName, definition, launch }: ToolLook, { isShown }: Unfolded): boolean {
  return (definition === null || isShown(nameOfDefinition(toolName, definition), definition)) && (launch === null || isShown(nameOfLaunch(launch), launch))
}

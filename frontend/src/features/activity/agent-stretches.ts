import { stretchesOf, type Group } from '../../ui/object-list/entries'
import { tellApart } from '../../ui/tell-apart'
import type { Fold } from './fold'

/** Calls of one agent that follow each other. */
export interface AgentStretch extends Group<Fold> {
  agentName: string
  /** The end of its id, where another agent has the same name. */
  end: string | undefined
}

/** Calls in the order of time, under the name of each agent as long as no other one's come between. */
export function agentStretches(folds: readonly Fold[]): AgentStretch[] {
  const stretches = stretchesOf(folds, ({ newest }) => newest.agentId, ({ id }) => id)
  const ends = tellApart(agents(stretches))
  return stretches.map((stretch) => {
    const first = stretch.items[0]?.newest
    return { ...stretch, agentName: first?.agentName ?? '', end: ends.get(first?.agentId ?? '') }
  })
}

function* agents(stretches: readonly Group<Fold>[]) {
  for (const { items } of stretches) if (items[0]) yield items[0].newest
}

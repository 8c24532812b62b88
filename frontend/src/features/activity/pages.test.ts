import { expect, it, vi } from 'vitest'
import type { Call } from '../../desk/types'
import { resumed } from '../../lists/resumed'
import { entriesOf } from '../../ui/object-list/entries'
import { sampleCall, sampleDecision } from '../../test/samples'
import { agentStretches } from './agent-stretches'
import { folded, type Fold } from './fold'

const none = new Set<string>()
const pageSize = 100

/** Calls as a journal may have them, newest first: of agents that take turns, some of them readings that are alike. */
function callsOf(count: number, agents: number, readings: number): Call[] {
  const decision = sampleDecision({ by: 'rule' })
  return Array.from({ length: count }, (_, n) => {
    const agent = `agent-${String(Math.floor(n / 7) % agents)}`
    const reads = readings > 0 && n % 50 >= 25
    const reading = { method: 'resources/read', toolName: `file:///${String(n % readings)}`, inputHash: 'sha256:same', status: 'completed', decision } as const
    return sampleCall({ id: `call-${String(n)}`, agentId: agent, agentName: 'scribe', ...(reads ? reading : { method: 'tools/call' }) })
  })
}

/** The rows of all calls, as the screen makes them. keyOf tells of each row that is made. */
function rowsFrom(keyOf: (fold: Fold) => string) {
  const [fold, stretches, entries] = [resumed(folded), resumed(agentStretches), resumed(entriesOf<Fold, ReturnType<typeof agentStretches>['groups'][number]>)]
  return (calls: readonly Call[]) => entries(stretches(fold(calls).folds).groups, keyOf, none)
}

const idOf = ({ id }: Fold) => id

it.each([1, 3, 40])('a page of calls of %i agents costs as much after many calls as after few', (agents) => {
  const calls = callsOf(20_000, agents, 0)
  const keyOf = vi.fn(idOf)
  const rows = rowsFrom(keyOf)
  const made: number[] = []
  const looked: number[] = []
  let reads = 0
  const watched = calls.map((call) => Object.defineProperty({ ...call }, 'method', { get: () => (reads++, call.method) }))
  for (let to = pageSize; to <= calls.length; to += pageSize) {
    keyOf.mockClear()
    reads = 0
    rows(watched.slice(0, to))
    made.push(keyOf.mock.calls.length)
    looked.push(reads)
  }
  expect(new Set(made.slice(agents / 10))).toEqual(new Set([pageSize])) // once all agents are known
  expect(Math.max(...looked)).toBe(looked[0])
})

it.each([[1, 0], [3, 0], [2, 1], [1, 2], [3, 7], [300, 0]])('calls of %i agents that come in pages, among them readings of %i things, are listed as if they came at once', (agents, readings) => {
  const calls = callsOf(1_500, agents, readings)
  const shown = (from: ReturnType<typeof rowsFrom>, some: readonly Call[]) =>
    from(some).entries.map(({ key, place, item, group }) => (item ? [key, place, item.newest.id, item.older.map(({ id }) => id)] : [place, group.agentName, group.end]))
  const paged = rowsFrom(idOf)
  for (let to = 60; to <= calls.length; to += 60) expect(shown(paged, calls.slice(0, to))).toEqual(shown(rowsFrom(idOf), calls.slice(0, to)))
  // One more above, one that left in the middle, none of the oldest.
  for (const some of [[sampleCall({ id: 'new' }), ...calls], calls.toSpliced(700, 1), calls.slice(0, 400), []]) expect(shown(paged, some)).toEqual(shown(rowsFrom(idOf), some))
})

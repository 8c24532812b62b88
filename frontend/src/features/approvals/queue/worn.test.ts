import { describe, expect, it } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import type { DeclinedTool, PendingSnapshot } from '../../../desk/types'
import { sampleCall, sampleKind } from '../../../test/samples'
import { PendingQueue } from './pending-queue'
import * as reduce from './queue-reducers'
import { emptyQueue, type QueueState } from './queue-state'
import { wornKey } from './worn'

const tool: DeclinedTool = {
  agentId: 'agent-1',
  sessionId: 'session-1',
  serverId: 'filesystem',
  method: 'tools/call',
  toolName: 'write_file',
  count: 3,
}
const key = wornKey(tool)
const a = sampleCall({ id: 'a' })
const b = sampleCall({ id: 'b' })
const other = sampleCall({ id: 'other', sessionId: 'session-2' })
const said = (rev: number, items: PendingSnapshot['items'], declined = [tool]): PendingSnapshot => ({
  desk: 'desk-1',
  rev,
  now: '',
  items,
  next: null,
  declined,
})
const shown = (state: QueueState) => (state.front?.kind === 'worn' ? 'card' : state.front?.kind === 'call' ? state.front.id : null)

describe('a tool that was declined again and again', () => {
  it('is one card, and other sessions and tools are asked about as ever', () => {
    const state = reduce.receive(emptyQueue, said(1, [a, b, other]), 0)
    expect([shown(state), state.worn.get(key)]).toEqual(['card', 3])
    expect(shown(reduce.receive(emptyQueue, said(1, [other, a]), 0))).toBe('other')
    expect(shown(reduce.receive(emptyQueue, said(1, [a], []), 0))).toBe('a')
  })

  it('takes the place of a call that the person has not begun with', () => {
    const asked = reduce.receive(emptyQueue, said(1, [a, b], []), 0)
    expect(shown(reduce.receive(asked, said(2, [a, b]), 0))).toBe('card')
    expect(shown(reduce.receive(reduce.touch(asked), said(2, [a, b]), 0))).toBe('a')
  })

  it('stays one card until none of its calls waits, though the desk says no more of it', () => {
    const state = reduce.receive(emptyQueue, said(1, [a, b]), 0)
    const later = reduce.receive(state, said(2, [b], []), 0)
    expect(shown(later)).toBe('card')
    expect(reduce.receive(later, said(3, [], []), 0).worn.size).toBe(0)
  })

  it('is looked at one by one, and folds again when it comes again', () => {
    const state = reduce.takeSingly(reduce.receive(emptyQueue, said(1, [a, b]), 0), key)
    expect(shown(state)).toBe('a')
    expect(shown(reduce.settle(state, { ...a, rev: 2 }))).toBe('b')
    const done = reduce.receive(reduce.receive(state, said(2, []), 0), said(3, [sampleCall({ id: 'c' })]), 0)
    expect(done.worn.has(key)).toBe(true)
  })

  it('is declined by one answer for each kind, to its riskiest call, and what has no kind by itself', async () => {
    const desk = new FakeDesk()
    for (const call of [
      sampleCall({ id: 'low', ...sampleKind('git'), risk: 'low' }),
      sampleCall({ id: 'high', ...sampleKind('git'), risk: 'high' }),
      sampleCall({ id: 'npm', ...sampleKind('npm') }),
      sampleCall({ id: 'once' }),
      other,
    ]) desk.put(call)
    desk.declined = [tool]
    const waiting = new PendingQueue(desk)
    await waiting.refresh()
    await waiting.declineKind(key)
    const wide = { approved: false, reason: '', scope: 'class', forSeconds: 900, rev: 1 }
    const answers = desk.answers.map(({ callId, answer }) => [callId, answer] as const)
    expect(answers).toContainEqual(['high', { ...wide, inputHash: 'sha256:high' }])
    expect(answers).toContainEqual(['npm', { ...wide, inputHash: 'sha256:npm' }])
    expect(answers).toContainEqual(['once', { approved: false, reason: '', rev: 1, inputHash: 'sha256:once' }])
    expect(answers.some(([id]) => id === 'other')).toBe(false)
    expect(waiting.state().items.map(({ id }) => id)).toEqual(['other'])
  })
})

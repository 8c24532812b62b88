import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callsOf } from '../../../desk/call-store'
import { DeskError } from '../../../desk/desk-error'
import { FakeDesk } from '../../../desk/fake-desk'
import type { Call, PendingSnapshot } from '../../../desk/types'
import { sampleCall, sampleDecision } from '../../../test/samples'
import { PendingQueue } from './pending-queue'

const inFront = (queue: PendingQueue) => {
  const { front } = queue.state()
  if (front?.kind === 'worn') return front.key
  return front?.kind === 'flood' ? front.agentId : (front?.id ?? null)
}

const alone = { identical: [], ruleSaved: false }
const alike = {
  identical: ['b', 'c', 'gone', 'other-agent', 'other-tool', 'other-server', 'other-folder', 'riskier', 'asks', 'other-input'],
  ruleSaved: false,
}

const ids = (queue: PendingQueue) => queue.state().items.map((call) => call.id)

describe('PendingQueue', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('asks at the start, at hints, and every few seconds without them', async () => {
    const desk = new FakeDesk()
    desk.put(sampleCall({ id: 'a' }))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(1)
    expect(ids(queue)).toEqual(['a'])
    desk.put(sampleCall({ id: 'b' }))
    await vi.advanceTimersByTimeAsync(1)
    expect(ids(queue)).toEqual(['a', 'b'])
    desk.kept = []
    desk.rev++
    await vi.advanceTimersByTimeAsync(5000)
    expect(ids(queue)).toEqual([])
    stop()
    desk.put(sampleCall({ id: 'c' }))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(ids(queue)).toEqual([])
  })

  it('asks again where events come and a request failed, or is never answered', async () => {
    const desk = new FakeDesk()
    desk.eventsNow = true
    desk.failures.set('calls', new DeskError({ code: 'http_503', message: 'busy' }))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(500)
    desk.failures.set('pending', new DeskError({ code: 'http_503', message: 'busy' }))
    desk.put(sampleCall({ id: 'a' }))
    await vi.advanceTimersByTimeAsync(200)
    expect(queue.state().unreachable).toBe(true)
    desk.failures.clear()
    const doubts = vi.spyOn(desk, 'calls')
    await vi.advanceTimersByTimeAsync(16_000)
    expect(ids(queue)).toEqual(['a'])
    expect(doubts).toHaveBeenCalledOnce()

    vi.spyOn(desk, 'pending').mockReturnValueOnce(new Promise(() => undefined))
    for (const id of ['b', 'c']) {
      desk.put(sampleCall({ id }))
      await vi.advanceTimersByTimeAsync(5000)
    }
    expect(ids(queue)).toEqual(['a', 'b', 'c'])
    stop()
  })

  it('is not fooled by answers that overtake each other', async () => {
    const desk = new FakeDesk()
    const waiting: ((snapshot: PendingSnapshot) => void)[] = []
    desk.pending = () => new Promise((resolve) => waiting.push(resolve))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(4001) // the net asks past the request that hangs
    waiting[1]?.({ desk: 'desk-1', rev: 8, now: '', items: [sampleCall({ id: 'new' })], next: null, declined: [] })
    await vi.advanceTimersByTimeAsync(1)
    waiting[0]?.({ desk: 'desk-1', rev: 7, now: '', items: [], next: null, declined: [] })
    await vi.advanceTimersByTimeAsync(1)
    expect(ids(queue)).toEqual(['new'])
    stop()
  })

  it('hears nothing late of the desk that was there before', async () => {
    const desk = new FakeDesk()
    const waiting: ((snapshot: PendingSnapshot) => void)[] = []
    desk.pending = () => new Promise((resolve) => waiting.push(resolve))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(4001)
    waiting[1]?.({ desk: 'restored', rev: 3, now: '', items: [sampleCall({ id: 'again' })], next: null, declined: [] })
    await vi.advanceTimersByTimeAsync(1)
    waiting[0]?.({ desk: 'before', rev: 70, now: '', items: [], next: null, declined: [] })
    await vi.advanceTimersByTimeAsync(1)
    expect(ids(queue)).toEqual(['again'])
    stop()
  })

  it('does not take the desk for away because an older request fails late', async () => {
    const desk = new FakeDesk()
    const waiting: { resolve: (snapshot: PendingSnapshot) => void; reject: (error: Error) => void }[] = []
    desk.pending = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(8001)
    waiting[1]?.resolve({ desk: 'desk-1', rev: 8, now: '', items: [], next: null, declined: [] })
    await vi.advanceTimersByTimeAsync(1)
    waiting[0]?.reject(new Error('timeout'))
    await vi.advanceTimersByTimeAsync(1)
    expect(queue.state().unreachable).toBe(false)
    waiting[2]?.reject(new Error('timeout'))
    await vi.advanceTimersByTimeAsync(1)
    expect(queue.state().unreachable).toBe(true)
    stop()
  })

  it('asks once more for hints that come while it asks', async () => {
    const desk = new FakeDesk()
    const pending = vi.spyOn(desk, 'pending')
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    desk.hint('a.b')
    desk.hint('a.b')
    desk.hint('a.b')
    await vi.advanceTimersByTimeAsync(1)
    expect(pending).toHaveBeenCalledTimes(2)
    stop()
  })

  it('sends the hash and rev of the row that was shown', async () => {
    const desk = new FakeDesk()
    const call = sampleCall({ rev: 7, inputHash: 'sha256:shown' })
    desk.put(call)
    const queue = new PendingQueue(desk)
    await queue.refresh()
    expect(await queue.answer(call, { approved: false, reason: 'no' }, alone)).toBeNull()
    expect(desk.answers).toEqual([{ callId: 'call-1', answer: { approved: false, reason: 'no', inputHash: 'sha256:shown', rev: 7 } }])
    expect(queue.state().notice?.kind).toBe('declined')
  })

  it('gives back errors of calls that still wait', async () => {
    const desk = new FakeDesk()
    const call = sampleCall()
    desk.put(call)
    desk.failures.set('decide', new DeskError({ code: 'stale', message: 'rev', call }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    expect((await queue.answer(call, { approved: true, reason: '' }, alone))?.code).toBe('stale')
    expect(ids(queue)).toEqual(['call-1'])
  })

  it.each(['later', 'review'] as const)('tells an error where the dialog that answered is gone: %s', async (way) => {
    const desk = new FakeDesk()
    const call = sampleCall({ id: 'a' })
    for (const one of [call, sampleCall({ id: 'b' })]) desk.put(one)
    desk.failures.set('decide', new DeskError({ code: 'unreachable', message: '' }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    await queue.answer(call, { approved: true, reason: '' }, alone)
    expect([queue.state().notice, queue.state().refusals]).toEqual([null, []]) // the dialog says so
    const answered = queue.answer(call, { approved: true, reason: '' }, { ...alone, ruleSaved: true })
    queue[way]('b')
    expect((await answered)?.code).toBe('unreachable')
    expect(queue.state().refusals).toMatchObject([{ kind: 'refused', call: { id: 'a' }, error: { code: 'unreachable' }, ruleSaved: true }])
  })

  it('tells an error where the call is shown anew with another input', async () => {
    const desk = new FakeDesk()
    const call = sampleCall({ id: 'a' })
    desk.put(call)
    desk.failures.set('decide', new DeskError({ code: 'stale', message: '', call: { ...call, rev: 2, inputHash: 'sha256:new' } }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    expect((await queue.answer(call, { approved: true, reason: '' }, alone))?.code).toBe('stale')
    expect(queue.state().refusals).toMatchObject([{ kind: 'refused', error: { code: 'stale' } }])
  })

  it('lets go of a call that was settled before', async () => {
    const desk = new FakeDesk()
    const call = sampleCall()
    desk.put(call)
    desk.failures.set(
      'decide',
      new DeskError({ code: 'already_decided', message: 'before', call: { ...call, rev: 2, status: 'declined' } }),
    )
    const queue = new PendingQueue(desk)
    await queue.refresh()
    expect(await queue.answer(call, { approved: true, reason: '' }, alone)).toBeNull()
    expect(ids(queue)).toEqual([])
    await vi.advanceTimersByTimeAsync(60_000) // it does not pass by itself
    expect(queue.state().refusals).toMatchObject([{ kind: 'refused', error: { code: 'already_decided' }, ruleSaved: false }])
    queue.closeRefusal()
    expect(queue.state().refusals).toEqual([])
  })

  it('does not take its own answer for somebody else’s, whatever comes first', async () => {
    const desk = new FakeDesk()
    desk.put(sampleCall({ id: 'a' }))
    desk.put(sampleCall({ id: 'b' }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    type Reply = Awaited<ReturnType<FakeDesk['decide']>>
    let reply: (done: Reply) => void = () => undefined
    desk.decide = () => new Promise((resolve) => (reply = resolve))
    const answered = queue.answer(sampleCall({ id: 'a' }), { approved: true, reason: '' }, alone)
    desk.settle('a', 'approved') // the desk is done, the reply is on its way
    await queue.refresh()
    expect([inFront(queue), queue.state().notice]).toEqual(['a', null])
    reply({ call: sampleCall({ id: 'a', rev: 2, status: 'approved', decision: sampleDecision() }), settled: [], repeated: false })
    expect(await answered).toBeNull()
    expect([inFront(queue), queue.state().notice?.kind, queue.state().restUntil]).toEqual(['b', 'approved', null])
  })

  it('lets nothing follow for a second when a call is settled elsewhere, and finds out how it was', async () => {
    const desk = new FakeDesk()
    desk.put(sampleCall({ id: 'a' }))
    desk.put(sampleCall({ id: 'b' }))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(1)
    desk.settle('a', 'cancelled')
    await vi.advanceTimersByTimeAsync(1)
    expect([inFront(queue), queue.state().notice]).toMatchObject([null, { kind: 'elsewhere', call: { status: 'cancelled' } }])
    await vi.advanceTimersByTimeAsync(990)
    expect(inFront(queue)).toBeNull()
    await vi.advanceTimersByTimeAsync(20)
    expect([inFront(queue), queue.state().restUntil]).toEqual(['b', null])
    stop()
  })

  it('knows by how much the desk’s clock is ahead, and is not moved by the time that answers take', async () => {
    const desk = new FakeDesk()
    const queue = new PendingQueue(desk)
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const pending = vi.spyOn(desk, 'pending')
    for (const [said, ahead] of [[at(60_000), 60_000], [at(60_400), 60_000], ['', 60_000], [at(-1000), -1000]] as const) {
      pending.mockResolvedValueOnce({ desk: 'desk-1', rev: 1, now: said, items: [], next: null, declined: [] })
      await queue.refresh()
      expect(queue.state().clockOffset).toBe(ahead)
    }
  })
})

describe('calls that ask for the same', () => {
  const same = (id: string, part: Partial<Call> = {}) => sampleCall({ id, inputHash: 'sha256:same', ...part })

  it('are approved together, each by its own hash and rev, and counted', async () => {
    const desk = new FakeDesk()
    for (const call of [same('a'), same('b', { rev: 5, risk: 'low' }), same('c'), same('gone')]) desk.put(call)
    const others = [
      same('came-later'),
      same('other-agent', { agentId: 'x' }),
      same('other-tool', { toolName: 'x' }),
      same('other-server', { serverId: null }),
      same('other-folder', { cwd: '/' }),
      same('riskier', { risk: 'high' }),
      same('asks', { resumeSchema: {} }),
      sampleCall({ id: 'other-input' }),
    ]
    for (const call of others) desk.put(call)
    const queue = new PendingQueue(desk)
    await queue.refresh()
    desk.kept = desk.kept.map((call) => (call.id === 'gone' ? { ...call, status: 'expired', rev: 2 } : call))
    const decide = desk.decide.bind(desk)
    desk.decide = async (id, answer) => {
      if (id === 'gone') throw new DeskError({ code: 'expired', message: '', call: same('gone', { status: 'expired', rev: 2 }) })
      return decide(id, answer)
    }
    expect(await queue.answer(same('a'), { approved: true, reason: '' }, alike)).toBeNull()
    expect(desk.answers.map(({ callId, answer }) => [callId, answer])).toEqual([
      ['a', { approved: true, reason: '', inputHash: 'sha256:same', rev: 1 }],
      ['b', { approved: true, reason: '', inputHash: 'sha256:same', rev: 5 }],
      ['c', { approved: true, reason: '', inputHash: 'sha256:same', rev: 1 }],
    ])
    expect(ids(queue)).toEqual(others.map(({ id }) => id))
    expect(queue.state().notice).toMatchObject({ kind: 'alike', approved: true, tally: { done: 3, before: 1, failed: 0 } })
  })

  it('stay when the shown one is refused, and are none when it was edited or asks for data', async () => {
    const desk = new FakeDesk()
    desk.put(same('a'))
    desk.put(same('b'))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    desk.failures.set('decide', new DeskError({ code: 'not_armed', message: '', call: same('a') }))
    expect((await queue.answer(same('a'), { approved: true, reason: '' }, alike))?.code).toBe('not_armed')
    expect([desk.answers.length, queue.state().sending.size]).toEqual([1, 0])
    desk.failures.clear()
    await queue.answer(same('a'), { approved: true, reason: '', input: '{}' }, alike)
    await queue.answer(same('b', { resumeSchema: {} }), { approved: true, reason: '' }, alike)
    expect(desk.answers.map(({ callId }) => callId)).toEqual(['a', 'a', 'b'])
  })
})

describe('declining all', () => {
  it('declines each by its own hash and rev, a few at a time, with the reason, and counts', async () => {
    const desk = new FakeDesk()
    for (let n = 0; n < 20; n++) desk.put(sampleCall({ id: `c${String(n)}`, rev: n + 1, sessionId: n < 15 ? 'mine' : 'other' }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    let [now, most] = [0, 0]
    const decide = desk.decide.bind(desk)
    desk.decide = async (id, answer) => {
      most = Math.max(most, ++now)
      await Promise.resolve()
      try {
        if (id === 'c3') throw new DeskError({ code: 'expired', message: '', call: sampleCall({ id, rev: 9, status: 'expired' }) })
        if (id === 'c4') throw new DeskError({ code: 'unreachable', message: '' })
        if (id === 'c5' && answer.rev === 6)
          throw new DeskError({ code: 'stale', message: '', call: sampleCall({ id, rev: 60, inputHash: 'sha256:new' }) })
        return await decide(id, answer)
      } finally {
        now--
      }
    }
    const tally = await queue.declineAll((call) => call.sessionId === 'mine', 'too many')
    expect(tally).toEqual({ done: 13, before: 1, failed: 1 })
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThan(10)
    expect(desk.answers).toHaveLength(13)
    expect(desk.answers.find(({ callId }) => callId === 'c1')?.answer).toEqual({
      approved: false,
      reason: 'too many',
      inputHash: 'sha256:c1',
      rev: 2,
    })
    expect(desk.answers.find(({ callId }) => callId === 'c5')?.answer).toMatchObject({ inputHash: 'sha256:new', rev: 60 })
    expect(queue.state().notice).toEqual({ kind: 'declinedAll', tally })
    await queue.refresh()
    expect(ids(queue)).toEqual(['c4', 'c15', 'c16', 'c17', 'c18', 'c19'])
  })

  it('reaches those that the snapshot has no room for, and none that come after', async () => {
    const desk = new FakeDesk()
    for (let n = 0; n < 450; n++) desk.kept.push(sampleCall({ id: `c${String(n)}`, agentId: n % 5 === 0 ? 'quiet' : 'busy' }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    expect([ids(queue).length, queue.state().more]).toEqual([200, true])
    const draining = queue.declineAll((call) => call.agentId === 'busy', '')
    desk.put(sampleCall({ id: 'after', agentId: 'busy', createdAt: new Date(Date.now() + 1000).toISOString() }))
    expect(await draining).toEqual({ done: 360, before: 0, failed: 0 })
    expect(desk.kept.filter((call) => call.status === 'pending' && call.agentId === 'busy').map(({ id }) => id)).toEqual(['after'])
    await vi.waitFor(() => {
      expect(ids(queue)).toHaveLength(91)
    })
  })
})

describe('calls in doubt', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are followed by their own hints, oldest first, and settled', async () => {
    const desk = new FakeDesk()
    desk.put(sampleCall({ id: 'a', status: 'in_doubt' }))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(400)
    expect(inFront(queue)).toBe('a')
    const calls = vi.spyOn(desk, 'calls')
    desk.hint('rules.changed')
    await vi.advanceTimersByTimeAsync(400)
    expect(calls).not.toHaveBeenCalled()
    desk.put(sampleCall({ id: 'b', status: 'in_doubt' }))
    desk.hint('call.changed')
    await vi.advanceTimersByTimeAsync(400)
    expect(calls).toHaveBeenCalledTimes(1)
    expect(queue.state().doubts.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await queue.resolve(sampleCall({ id: 'a', status: 'in_doubt' }), 'retry')).toBeNull()
    expect([desk.kept[0]?.status, inFront(queue), queue.state().notice?.kind]).toEqual(['approved', 'b', 'retried'])
    stop()
    desk.hint('call.changed')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(calls).toHaveBeenCalledTimes(1)
  })

  it('are not asked for at events of other calls, and leave as soon as another list of calls knows better', async () => {
    const desk = new FakeDesk()
    const doubt = sampleCall({ id: 'a', status: 'in_doubt' })
    desk.put(doubt)
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(400)
    const calls = vi.spyOn(desk, 'calls')
    desk.hint('call.decided', 'other')
    await vi.advanceTimersByTimeAsync(400)
    expect(calls).not.toHaveBeenCalled()
    desk.hint('call.decided', 'a')
    await vi.advanceTimersByTimeAsync(400)
    expect(calls).toHaveBeenCalledOnce()
    callsOf(desk).take({ ...doubt, rev: doubt.rev + 1, status: 'failed' })
    expect([queue.state().doubts, inFront(queue)]).toEqual([[], null])
    stop()
  })

  it('leave with a word when they are in doubt no more, and stay when the desk is away', async () => {
    const desk = new FakeDesk()
    desk.put(sampleCall({ id: 'a', status: 'in_doubt' }))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(400)
    stop()
    desk.failures.set('resolve', new DeskError({ code: 'unreachable', message: '' }))
    expect((await queue.resolve(sampleCall({ id: 'a', status: 'in_doubt' }), 'close'))?.code).toBe('unreachable')
    expect(inFront(queue)).toBe('a')
    desk.failures.clear()
    desk.settle('a', 'completed')
    expect(await queue.resolve(sampleCall({ id: 'a', status: 'in_doubt' }), 'close')).toBeNull()
    expect([inFront(queue), queue.state().notice]).toMatchObject([null, { kind: 'elsewhere', call: { status: 'completed' } }])
  })
})

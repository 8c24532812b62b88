import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { PendingSnapshot } from '../../desk/types'
import { sampleCall } from '../../test/samples'
import { PendingQueue } from './pending-queue'

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

  it('is not fooled by answers that overtake each other', async () => {
    const desk = new FakeDesk()
    const waiting: ((snapshot: PendingSnapshot) => void)[] = []
    desk.pending = () => new Promise((resolve) => waiting.push(resolve))
    const queue = new PendingQueue(desk)
    const stop = queue.follow()
    await vi.advanceTimersByTimeAsync(4001) // the net asks past the request that hangs
    waiting[1]?.({ rev: 8, items: [sampleCall({ id: 'new' })] })
    await vi.advanceTimersByTimeAsync(1)
    waiting[0]?.({ rev: 7, items: [] })
    await vi.advanceTimersByTimeAsync(1)
    expect(ids(queue)).toEqual(['new'])
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
    expect(await queue.answer(call, { approved: false, reason: 'no' })).toBeNull()
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
    expect((await queue.answer(call, { approved: true, reason: '' }))?.code).toBe('stale')
    expect(ids(queue)).toEqual(['call-1'])
  })

  it('lets go of a call that was settled before', async () => {
    const desk = new FakeDesk()
    const call = sampleCall()
    desk.put(call)
    desk.failures.set('decide', new DeskError({ code: 'already_decided', message: 'before', call: { ...call, rev: 2, status: 'declined' } }))
    const queue = new PendingQueue(desk)
    await queue.refresh()
    expect(await queue.answer(call, { approved: true, reason: '' })).toBeNull()
    expect(ids(queue)).toEqual([])
    expect(queue.state().notice).toMatchObject({ kind: 'refused', error: { code: 'already_decided' } })
  })
})

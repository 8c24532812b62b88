import { describe, expect, it, vi } from 'vitest'
import { sampleCall } from '../test/samples'
import { belongsTo, type CallsQuery } from './call-list'
import { CallStore, type CallList } from './call-store'
import type { Desk } from './desk'
import { DeskError } from './desk-error'
import type { Call, CallsFilter, Hint } from './types'

const everything: CallsQuery = { text: '', statuses: [] }
const stopped: CallsQuery = { text: '', statuses: ['denied', 'cancelled'] }

const pageSize = 5

/** Calls as the desk lists them: by their place, which is the cursor, newest first, a page of five at a time. */
class Model {
  readonly calls: Call[] = []
  readonly listeners = new Set<(hint: Hint) => void>()
  asked = 0
  isDown = false

  readonly desk = {
    calls: ({ cursor, text = '', statuses = [] }: CallsFilter) =>
      this.#answer(() => {
        const page = this.below(cursor, { text, statuses })
        const last = page[pageSize - 1]
        return { calls: page.slice(0, pageSize), next: last && page.length > pageSize ? String(this.calls.findIndex(({ id }) => id === last.id)) : null }
      }),
    call: (id: string) =>
      this.#answer(() => {
        const call = this.calls.find((c) => c.id === id)
        if (!call) throw new DeskError({ code: 'not_found', message: 'no such call' })
        return call
      }),
    subscribe: (onHint: (hint: Hint) => void) => {
      this.listeners.add(onHint)
      return () => this.listeners.delete(onHint)
    },
    hasEvents: () => true,
    onEvents: () => () => undefined,
  } as unknown as Desk

  /** All calls of a query below a place, newest first. */
  below(cursor: string | null, query: CallsQuery): Call[] {
    return this.calls.slice(0, cursor === null ? undefined : Number(cursor)).filter((call) => belongsTo(query, call)).toReversed()
  }

  add(status: Call['status'] = 'denied'): void {
    const n = this.calls.length
    const id = `c${String(n).padStart(4, '0')}`
    this.calls.push(sampleCall({ id, toolName: `tool_${String(n)}`, status, createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString() }))
    this.tell({ kind: 'call.created', callId: id })
  }

  change(n: number, status: Call['status']): void {
    const old = this.calls[n]
    if (!old) return
    this.calls[n] = { ...old, status, rev: old.rev + 1 }
    this.tell({ kind: 'call.changed', callId: old.id })
  }

  tell(hint: Hint): void {
    for (const tell of this.listeners) tell(hint)
  }

  async #answer<T>(make: () => T): Promise<T> {
    this.asked++
    await Promise.resolve()
    if (this.isDown) throw new DeskError({ code: 'unreachable', message: 'down' })
    const answer = make()
    await Promise.resolve() // on its way while more happens
    return answer
  }
}

function opened(model: Model, query = everything, store = new CallStore(model.desk)): CallList {
  const list = store.list(query)
  list.subscribe(() => undefined)
  return list
}

/** What is listed is what the desk has down to where the store says that it is complete. */
function isTrue(model: Model, store: CallList, query: CallsQuery): void {
  const { calls, complete } = store.view()
  const to = complete?.to ?? null
  const there = model.below(null, query).filter((call) => to === null || model.calls.indexOf(call) >= Number(to))
  expect(calls?.map(({ id, status }) => `${id} ${status}`)).toEqual(there.map(({ id, status }) => `${id} ${status}`))
  expect(complete?.from ?? null).toBe(there[0]?.id ?? null)
}

/** Numbers that look random and are the same in each run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
}

describe('the store of calls', () => {
  it('keeps what slides off the first page, and pages on until it meets what it has', async () => {
    const model = new Model()
    for (let n = 0; n < 12; n++) model.add()
    const store = opened(model)
    await store.refresh()
    await store.more()
    await store.more()
    expect(store.view().complete).toEqual({ from: 'c0011', to: null })
    for (let n = 0; n < 23; n++) model.add()
    await store.refresh()
    expect(store.view().calls).toHaveLength(35)
    isTrue(model, store, everything)
  })

  it('says down to where it is complete', async () => {
    const model = new Model()
    for (let n = 0; n < 12; n++) model.add()
    const store = opened(model)
    await store.refresh()
    expect(store.view().complete).toEqual({ from: 'c0011', to: '7' })
  })

  it('begins anew rather than reading very many pages, and loads the rest when it is asked', async () => {
    const model = new Model()
    for (let n = 0; n < 12; n++) model.add()
    const store = opened(model)
    await store.refresh()
    for (let n = 0; n < 300; n++) model.add()
    const before = model.asked
    await store.refresh()
    expect(model.asked - before).toBe(20)
    isTrue(model, store, everything)
    while (store.view().complete?.to !== null) await store.more()
    isTrue(model, store, everything)
  })

  it('asks anew for what changed while the desk did not answer', async () => {
    const model = new Model()
    for (let n = 0; n < 30; n++) model.add('pending')
    const store = opened(model)
    for (let n = 0; n < 6; n++) await store.more()
    await store.refresh()
    while (store.view().complete?.to !== null) await store.more()
    model.isDown = true
    model.change(3, 'cancelled')
    await store.refresh()
    expect(store.view().error?.code).toBe('unreachable')
    expect(store.view().calls).toHaveLength(30)
    model.isDown = false
    await store.refresh()
    expect(store.view().error).toBeNull()
    isTrue(model, store, everything)
  })

  it('shows one row of a call in all lists, and tells each of those that use it', async () => {
    const model = new Model()
    for (let n = 0; n < 3; n++) model.add('in_doubt')
    const store = new CallStore(model.desk)
    const [all, doubts] = [opened(model, everything, store), opened(model, { text: '', statuses: ['in_doubt'] }, store)]
    await Promise.all([all.refresh(), doubts.refresh()])
    const told = vi.fn()
    all.subscribe(told)
    const call = model.calls[1]
    if (!call) throw new Error('no call')
    store.take({ ...call, rev: 3, status: 'failed' })
    expect(told).toHaveBeenCalled()
    expect(all.view().calls?.map(({ status }) => status)).toEqual(['in_doubt', 'failed', 'in_doubt'])
    expect(doubts.view().calls?.[1]).toBe(all.view().calls?.[1])
  })

  it('forgets the rows that no list has any more', async () => {
    const model = new Model()
    for (const status of ['denied', 'in_doubt'] as const) model.add(status)
    const store = new CallStore(model.desk)
    await opened(model, { text: '', statuses: ['in_doubt'] }, store).refresh()
    const all = store.list(everything)
    const leave = all.subscribe(() => undefined)
    await all.refresh()
    expect(store.row('c0000')?.status).toBe('denied')
    leave()
    expect([store.row('c0000'), store.row('c0001')?.status]).toEqual([undefined, 'in_doubt'])
  })

  it('takes the rows of a desk that was put back, though they are of an older rev', async () => {
    const model = new Model()
    for (let n = 0; n < 7; n++) model.add('pending')
    const before = [...model.calls]
    const store = opened(model)
    for (let n = 0; n < 7; n++) model.change(n, 'denied')
    await store.refresh()
    await store.more()
    model.calls.splice(0, 7, ...before)
    model.tell({ kind: 'reset' })
    await store.refresh()
    isTrue(model, store, everything)
    expect(store.view().calls?.[0]?.status).toBe('pending')
  })

  it('takes a row that an answer brought, unless it is an older one', async () => {
    const model = new Model()
    model.add('in_doubt')
    const store = new CallStore(model.desk)
    const list = opened(model, everything, store)
    await list.refresh()
    const call = model.calls[0]
    if (!call) throw new Error('no call')
    store.take({ ...call, rev: 3, status: 'failed' })
    store.take({ ...call, rev: 2, status: 'approved' })
    expect(list.view().calls?.map(({ status }) => status)).toEqual(['failed'])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('has no hole, whatever comes in which order (%i)', async (seed) => {
    const roll = dice(seed)
    const model = new Model()
    let query = everything
    const calls = new CallStore(model.desk)
    let store = opened(model, query, calls)
    const statuses = ['pending', 'denied', 'cancelled', 'completed'] as const
    const doings = [
      () => {
        for (let n = roll(30); n >= 0; n--) model.add(statuses[roll(4)])
      },
      () => {
        for (let n = roll(4); n >= 0; n--) model.change(roll(model.calls.length), statuses[roll(4)] ?? 'pending')
      },
      () => void store.more(),
      () => void store.more(),
      () => void store.refresh(),
      () => {
        model.isDown = roll(3) === 0
      },
      () => {
        const told = [...model.listeners]
        model.listeners.clear() // no hint comes
        model.change(roll(model.calls.length), 'denied')
        for (const tell of told) model.listeners.add(tell)
        model.tell({ kind: 'reset' })
      },
      () => {
        if (roll(4) > 0) return
        query = roll(2) === 0 ? everything : stopped
        store = opened(model, query, calls)
      },
    ]
    for (let step = 0; step < 300; step++) {
      doings[roll(doings.length)]?.()
      for (let n = roll(6); n > 0; n--) await Promise.resolve()
      if (step % 10 > 0) continue
      model.isDown = false
      await store.refresh()
      await store.refresh()
      isTrue(model, store, query)
    }
  })
})

// A clock of a test: it stands still while the client works, and goes on to the next thing that is
// waited for while the client pauses. So no test measures how fast the machine is.

import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'

/** Puts the clock in place for one test. Short timers, of other libraries, stay real. */
export function clock(t) {
  const began = Date.now()
  const real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout }
  const waiting = new Map()
  let now = began
  let ids = 0
  let pauses = 0
  const later = (act, ms) => {
    const key = { id: ++ids, unref: () => key, ref: () => key }
    waiting.set(key, { at: now + ms, act })
    return key
  }
  const next = () => {
    const [key, first] = [...waiting].sort(([, a], [, b]) => a.at - b.at)[0] ?? []
    if (!first) return
    waiting.delete(key)
    now = Math.max(now, first.at)
    first.act()
  }
  const going = setInterval(() => pauses > 0 && next(), 2)
  t.mock.method(Date, 'now', () => now)
  t.mock.method(globalThis, 'setTimeout', (act, ms = 0, ...more) =>
    ms < 4_000 ? real.set(act, ms, ...more) : later(() => act(...more), ms),
  )
  t.mock.method(globalThis, 'clearTimeout', (key) => void (waiting.delete(key) || real.clear(key)))
  t.mock.method(AbortSignal, 'timeout', (ms) => {
    const late = new AbortController()
    later(() => late.abort(new DOMException('late', 'TimeoutError')), ms)
    return late.signal
  })
  t.mock.method(promises, 'setTimeout', async (ms, value, { signal } = {}) => {
    pauses++
    await new Promise((resolve) => later(resolve, ms))
    pauses--
    signal?.throwIfAborted()
    return value
  })
  syncBuiltinESMExports()
  t.after(() => {
    clearInterval(going)
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  return {
    /** What has passed, in seconds. */
    passed: () => (now - began) / 1000,
    /** Goes on to the next thing that is waited for, of a desk that says nothing. */
    next,
  }
}

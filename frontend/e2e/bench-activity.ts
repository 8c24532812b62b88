/** A journal of more than 100,000 entries, of which the page shows each: what a person waits for. */
import { test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { setUp } from './harness/fixtures'
import { lookThrough } from './harness/many-calls'

const browser = aBrowser()
const calls = 100_000

test('many calls are looked through', async () => {
  const setting = await setUp([{ toolPattern: 'no_*', effect: 'deny' }])
  const page = await openDeskPage(browser(), setting.desk)
  const took = await lookThrough(setting, page, calls)
  process.stdout.write(`${String(calls)} calls on the page, in milliseconds: ${JSON.stringify(took, (_, v: unknown) => (typeof v === 'number' ? Math.round(v) : v))}\n`)
}, 900_000)

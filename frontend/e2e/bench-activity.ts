/** A journal of more than 100,000 entries, of which the page shows each: what a person waits for, beside one of a hundred. */
import { test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { setUp } from './harness/fixtures'
import { lookThrough, type ManyCalls } from './harness/many-calls'

const browser = aBrowser()

async function look(calls: number): Promise<ManyCalls> {
  const setting = await setUp([{ toolPattern: 'no_*', effect: 'deny' }])
  const took = await lookThrough(setting, await openDeskPage(browser(), setting.desk), calls)
  process.stdout.write(`${String(calls)} calls on the page, in milliseconds: ${JSON.stringify(took, (_, v: unknown) => (typeof v === 'number' ? Math.round(v) : v))}\n`)
  return took
}

test('many calls are looked through', async () => {
  const few = await look(100)
  const many = await look(100_000)
  const ratio = many.mostFrames / few.mostFrames
  process.stdout.write(`95 of 100 frames while 100,000 calls are scrolled, beside 100 calls: ${ratio.toFixed(2)}x  goal ≤ 1.5x  ${ratio <= 1.5 ? 'yes' : 'NO'}\n`)
  process.stdout.write(`longest task of the main thread meanwhile: ${many.longestTask.toFixed(0)} ms  goal ≤ 50 ms  ${many.longestTask <= 50 ? 'yes' : 'NO'}\n`)
}, 1_200_000)

/** How long it takes from a call's arrival until its dialog is in the page, against the real desk. */
import { test } from 'vitest'
import { arrivals, percentile } from './harness/arrival'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'

const browser = aBrowser()
const calls = 200

test('from a call’s arrival to its dialog', async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Rules').waitFor()
  const times = await arrivals(page, desk, agentToken, calls)
  const [half, most, all] = [50, 95, 100].map((percent) => String(percentile(times, percent)))
  process.stdout.write(`arrival to dialog: p50 ${half ?? ''} ms, p95 ${most ?? ''} ms, max ${all ?? ''} ms (${String(calls)} calls)\n`)
}, 300_000)

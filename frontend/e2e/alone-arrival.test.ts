import { expect, test } from 'vitest'
import { arrivals, percentile } from './harness/arrival'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'

const browser = aBrowser()

// Beside other work a machine is late now and then: a second and a third try are fair.
test('a call is in a dialog within a tenth of a second, 19 times of 20', { retry: 2 }, async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Rules').waitFor()
  const times = await arrivals(page, desk, agentToken, 50)
  expect(percentile(times, 95), times.join(' ')).toBeLessThan(100)
})

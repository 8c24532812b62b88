import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { setUp } from './harness/fixtures'
import { lookThrough } from './harness/many-calls'

const browser = aBrowser()

test('the oldest of two thousand calls is reached by scrolling and by searching', async () => {
  const setting = await setUp([{ toolPattern: 'no_*', effect: 'deny' }])
  const page = await openDeskPage(browser(), setting.desk)
  const { blank, frame } = await lookThrough(setting, page, 2_000)
  expect(blank, 'frames with nothing to see').toBe(0)
  expect(frame).toBeLessThan(250) // as with ten thousand rules
})

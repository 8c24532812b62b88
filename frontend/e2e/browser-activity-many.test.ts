import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { setUp } from './harness/fixtures'
import { lookThrough } from './harness/many-calls'

const browser = aBrowser()

test('the oldest of six hundred calls is reached by scrolling and by searching', async () => {
  const setting = await setUp([{ toolPattern: 'no_*', effect: 'deny' }])
  const page = await openDeskPage(browser(), setting.desk)
  const { blank } = await lookThrough(setting, page, 600)
  expect(blank, 'frames with nothing to see').toBe(0)
})

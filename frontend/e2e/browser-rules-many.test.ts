import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { setUp } from './harness/fixtures'
import { rules } from './harness/many-rules'
import { RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

test('the last of ten thousand rules is reached by the keyboard, by a link and by moving it', async () => {
  const { desk } = await setUp(rules)
  const page = await openDeskPage(browser(), desk)
  const screen = await new RulesScreen(page).open()
  await page.evaluate(() => {
    window.location.hash = '#/rules?rule=rule-9998'
  })
  const row = screen.row('tool_9998')
  await until('the row', async () => (await row.count()) === 1 && (await row.evaluate((e) => e.contains(document.activeElement))))
  expect(await inView(page, 'tool_9998')).toBe(true)
  await row.getByRole('button', { name: /^Move rule/ }).focus()
  for (const key of ['Space', 'Home', 'Space']) await page.keyboard.press(key)
  await page.getByText('Moved: server-7 · tool_9998').waitFor()
  expect(await inView(page, 'tool_9998')).toBe(true)
  expect((await screen.texts())[0]).toContain('tool_9998')
  const at = () => page.evaluate(() => document.activeElement?.closest('li')?.getAttribute('aria-posinset'))
  const passed = new Set<string | null | undefined>()
  while (passed.size < 3) { // all that a row can do, then the next row
    passed.add(await at())
    await page.keyboard.press('Tab')
  }
  expect([...passed]).toEqual(['1', '2', '3'])
})

/** Whether the row with these words is to be seen. */
function inView(page: Page, words: string): Promise<boolean> {
  return page.getByRole('listitem').filter({ hasText: words }).first().evaluate((row) => {
    const { top, bottom } = row.getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
  })
}

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'
import { middle, scrollThrough } from './harness/frames'
import type { RuleInput } from './harness/operator'
import { RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()
const many = 10_000

const rules: readonly RuleInput[] = Array.from({ length: many }, (_, i) => ({
  id: `rule-${String(i)}`,
  serverId: `server-${String(i % 97)}`,
  toolName: `tool_${String(i)}`,
  effect: (['allow', 'ask', 'deny'] as const)[i % 3] ?? 'ask',
  priority: many - i,
  note: i % 10 === 0 ? `a note of ${String(i)}, long enough to take a line of its own below the badges of the rule` : '',
}))

/** Milliseconds, with room for a machine that does other things beside; the figures are printed. */
const bounds = { firstRows: 6_000, keystroke: 600, frame: 250 }

test('ten thousand rules come, are searched and scrolled without a pause', async () => {
  const { desk } = await setUp(rules)
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Rules').waitFor()
  const screen = new RulesScreen(page)

  const began = performance.now()
  await screen.open()
  const firstRows = performance.now() - began
  await page.getByText('10,000 rules').waitFor()
  expect(await screen.rows.count()).toBeLessThan(100)
  expect(await screen.row('Nothing matched').getAttribute('aria-posinset')).toBe('10001')

  const frames = await scrollThrough(page)
  expect(frames.blank, 'frames with nothing to see').toBe(0)
  expect(frames.last).toBe(many + 1) // with the row that is always drawn

  const keystrokes: number[] = []
  for (const [letters, count] of [['t', '10,000'], ['to', '10,000'], ['too', '10,000'], ['tool_9', '1,111'], ['tool_99', '111'], ['tool_9999', '1'], ['tool_999', '11']] as const) keystrokes.push(await search(page, letters, count))
  expect(await screen.texts()).toHaveLength(12)

  const usualFrame = middle(frames.took)
  const figures = { firstRows, keystroke: middle(keystrokes), slowestKeystroke: Math.max(...keystrokes), frame: usualFrame, slowestFrame: Math.max(...frames.took) }
  process.stdout.write(`10,000 rules, in milliseconds: ${JSON.stringify(figures, (_, v: unknown) => (typeof v === 'number' ? Math.round(v) : v))}\n`)
  expect(firstRows).toBeLessThan(bounds.firstRows)
  expect(middle(keystrokes)).toBeLessThan(bounds.keystroke)
  expect(usualFrame).toBeLessThan(bounds.frame)
})

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

/** Types a search and gives the time until the list shows what it finds, as the page sees it. */
async function search(page: Page, words: string, count: string): Promise<number> {
  const box = page.getByRole('searchbox', { name: 'Search the rules' })
  await box.fill(words.slice(0, -1))
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))))
  await page.evaluate((wanted) => {
    const page = window as unknown as { shown?: Promise<number> }
    page.shown = new Promise((done) => {
      let began = 0
      document.addEventListener('keydown', () => { began = performance.now() }, { once: true, capture: true })
      const look = () => {
        const found = document.querySelector('[role=search] [role=status]')?.textContent
        const last = [...document.querySelectorAll('main ol > li')].at(-1)?.getAttribute('aria-setsize')
        if (began > 0 && found === wanted.text && last === wanted.size) done(performance.now() - began)
        else requestAnimationFrame(look)
      }
      look()
    })
  }, { text: `${count} of 10,000 rules`, size: String(Number(count.replace(',', '')) + 1) })
  await box.press(words.slice(-1))
  return page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown)
}

/** Whether the row with these words is to be seen. */
function inView(page: Page, words: string): Promise<boolean> {
  return page.getByRole('listitem').filter({ hasText: words }).first().evaluate((row) => {
    const { top, bottom } = row.getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
  })
}

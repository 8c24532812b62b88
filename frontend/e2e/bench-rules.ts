/** Ten thousand rules: what a person waits for until they are there, with each letter of a search, and while they are scrolled. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'
import { middle, scrollThrough } from './harness/frames'
import { many, rules } from './harness/many-rules'
import { RulesScreen } from './harness/rules-screen'

const browser = aBrowser()

test('ten thousand rules come, are searched and scrolled', async () => {
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
}, 300_000)

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

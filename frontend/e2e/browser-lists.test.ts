/** The lists: what waits, what was, grants. By the keyboard alone, by agent, with ages; the frame around them in a small window. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, goTo, openDeskPage } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faces, faults } from './harness/faults'
import { setUp, type Setting } from './harness/fixtures'
import { ask } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

/** The row, or what is in a row, that has the focus: the text of its first line. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement
    return at?.getAttribute('role') === 'row' ? (at.querySelector('[role="gridcell"]')?.textContent ?? '') : (at?.textContent ?? '')
  })

async function putOff(page: Page): Promise<void> {
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
}

async function waiting(setting: Setting): Promise<void> {
  const other = await setting.desk.createAgent('nightly')
  await ask(setting.desk.url, setting.agentToken, 'tool_0', { input: { n: 0 } })
  await ask(setting.desk.url, setting.agentToken, 'tool_1', { input: { n: 1 } })
  await ask(setting.desk.url, other, 'sweep', { input: { n: 2 } })
}

const list = (page: Page, name: string): Locator => page.getByRole('treegrid', { name })

test('what waits stands by agent with its age; it and the activity are walked by the keys alone, and the focus is never lost', async () => {
  const setting = await setUp()
  await waiting(setting)
  const page = await openDeskPage(browser(), setting.desk)
  await putOff(page)
  const rows = list(page, 'What waits').getByRole('row')
  await until('all rows', async () => (await rows.count()) === 5)
  const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  const like = [/scribe 2 calls/, /tool_0.*rockets.*(now|min\. ago)/, /tool_1/, /nightly 1 call/, /sweep/]
  expect(texts).toEqual(like.map((words) => expect.stringMatching(words) as string))

  await page.keyboard.press('j')
  if (!(await focused(page)).includes('tool_0')) await page.keyboard.press('Home')
  await page.keyboard.press('End')
  expect(await focused(page)).toContain('sweep')
  await page.keyboard.press('k')
  expect(await focused(page)).toContain('tool_1')
  await page.keyboard.press('ArrowUp')
  expect(await focused(page)).toContain('tool_0')
  await page.keyboard.press('ArrowRight')
  expect(await focused(page)).toBe('Review')
  await page.keyboard.press('Escape')
  expect(await focused(page)).toContain('tool_0')

  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const chosen = await new ApprovalDialog(page, 'tool_1').shown()
  await page.keyboard.press('Escape')
  await chosen.gone()
  expect(await focused(page)).toContain('tool_1')
  const call = (await setting.desk.pending(3)).find(({ toolName }) => toolName === 'tool_1')
  if (!call) throw new Error('no call')
  await setting.desk.decide(call, false)
  await until('the row to leave', async () => (await rows.count()) === 4)
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('row')

  await goTo(page, 'activity')
  const calls = list(page, 'Calls, newest first').locator('[aria-posinset]')
  await until('three calls', async () => (await calls.count()) === 3)
  await page.keyboard.press('j')
  expect(await focused(page)).toContain('sweep')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await calls.nth(1).getByText('"n"').waitFor()
  await page.keyboard.press('Escape')
  await until('nothing below', async () => (await calls.nth(1).getByText('"n"').count()) === 0)
  await page.keyboard.press('End')
  expect(await focused(page)).toContain('tool_0')
})

test.each(faces)('in $locale, $colorScheme, a small window has a frame of at most 90 px and no fault a machine finds', async (face) => {
  const setting = await setUp()
  await waiting(setting)
  const small = { viewport: { width: 560, height: 420 }, bypassCSP: true, reducedMotion: 'reduce' } as const
  const page = await openDeskPage(browser(), setting.desk, { ...small, ...face })
  await putOff(page)
  for (const screen of ['waiting', 'activity']) {
    await goTo(page, screen)
    await page.locator('[role="treegrid"] [aria-posinset]').first().waitFor()
    expect(await faults(page), screen).toEqual([])
  }
  await page.keyboard.press('Control+Shift+H') // what is held is told in the frame, too
  await page.locator('[role="status"] strong').waitFor()
  for (const screen of ['waiting', 'activity', 'grants', 'rules', 'settings']) {
    await goTo(page, screen)
    const frame = await page.locator('main').evaluate((main) => {
      return main.getBoundingClientRect().top + document.documentElement.scrollTop + parseFloat(getComputedStyle(main).paddingTop)
    })
    expect(frame, `the frame of ${screen}`).toBeLessThanOrEqual(90)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(560)
  }
  await page.locator('button[popovertarget]').click()
  await page.locator('nav a[href="#/grants"]').click()
  await until('the screen', async () => (await page.locator('nav').isHidden()) && page.url().endsWith('#/grants'))
})

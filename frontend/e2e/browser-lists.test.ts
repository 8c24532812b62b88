/** The lists: what waits, what was, grants. By the keyboard alone, by agent, with ages; the frame around them in a small window. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faces, faults } from './harness/faults'
import { setUp, type Setting } from './harness/fixtures'
import { ask } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

const small = { viewport: { width: 560, height: 420 } }

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

describe('what waits', () => {
  test('stands by agent with its age, and is walked and answered by the keyboard alone; the focus is never lost', async () => {
    const setting = await setUp()
    await waiting(setting)
    const page = await openDeskPage(browser(), setting.desk)
    await putOff(page)
    const rows = list(page, 'What waits').getByRole('row')
    await until('all rows', async () => (await rows.count()) === 5)
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(texts).toEqual([expect.stringContaining('scribe 2 calls'), expect.stringMatching(/tool_0.*rockets.*(now|min\. ago)/), expect.stringContaining('tool_1'), expect.stringContaining('nightly 1 call'), expect.stringContaining('sweep')])

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
  })
})

test('the activity is walked by the keyboard alone, and its input is shown and taken away', async () => {
  const setting = await setUp([{ effect: 'deny' }])
  for (let n = 0; n < 5; n++) await ask(setting.desk.url, setting.agentToken, `no_${String(n)}_`, { input: { n } })
  const page = await openDeskPage(browser(), setting.desk)
  await page.goto(`${new URL(page.url()).origin}/#/activity`)
  const rows = list(page, 'Calls, newest first').locator('[aria-posinset]')
  await until('five calls', async () => (await rows.count()) === 5)
  await page.keyboard.press('j')
  expect(await focused(page)).toContain('no_4_')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await rows.nth(1).getByText('"n"').waitFor()
  await page.keyboard.press('Escape')
  await until('nothing below', async () => (await rows.nth(1).getByText('"n"').count()) === 0)
  await page.keyboard.press('End')
  expect(await focused(page)).toContain('no_0_')
})

describe.each(faces)('in $locale, $colorScheme, a small window', ({ locale, colorScheme }) => {
  test('has a frame of at most 90 pixels, also while everything is held and calls wait, and a way to each screen', async () => {
    const setting = await setUp()
    await waiting(setting)
    const page = await openDeskPage(browser(), setting.desk, { ...small, locale, bypassCSP: true, reducedMotion: 'reduce' })
    await putOff(page)
    await page.keyboard.press('Control+Shift+H')
    await page.locator('[role="status"] strong').waitFor()
    for (const screen of ['waiting', 'activity', 'grants', 'rules', 'settings']) {
      await page.evaluate((name) => { location.hash = `#/${name}` }, screen)
      await page.locator('nav a[aria-current="page"]').evaluate((link, name) => link.getAttribute('href') === `#/${name}`, screen)
      const frame = await page.evaluate(() => {
        const main = document.querySelector('main')
        return main ? main.getBoundingClientRect().top + document.documentElement.scrollTop + parseFloat(getComputedStyle(main).paddingTop) : Infinity
      })
      expect(frame, `the frame of ${screen}`).toBeLessThanOrEqual(90)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(560)
    }
    await page.locator('button[popovertarget]').click()
    await page.locator('nav a[href="#/grants"]').click()
    await until('the screen', async () => (await page.locator('nav').isHidden()) && page.url().endsWith('#/grants'))
  })

  test('has no fault that a machine finds', async () => {
    const setting = await setUp()
    await waiting(setting)
    const page = await openDeskPage(browser(), setting.desk, { ...small, locale, colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    await putOff(page)
    await page.locator('[role="treegrid"] [aria-posinset]').first().waitFor()
    expect(await faults(page)).toEqual([])
    await page.evaluate(() => { location.hash = '#/activity' })
    await page.locator('[role="treegrid"] [aria-posinset]').first().waitFor()
    expect(await faults(page)).toEqual([])
  })
})

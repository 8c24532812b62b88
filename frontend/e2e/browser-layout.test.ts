/** Where things stand, in four languages and three sizes of the window: nothing is wider than its place, and what matters is in view. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp, setUpFiles, type Setting } from './harness/fixtures'
import { ask, request, type RuleInput } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

const sizes = [
  { width: 1280, height: 900 },
  { width: 900, height: 700 },
  { width: 560, height: 420 },
]
const small = { width: 560, height: 420 }
const locales = ['en-US', 'ja-JP', 'zh-TW', 'ru-RU']

const rules: RuleInput[] = [
  ...Array.from({ length: 11 }, (_, n) => ({ serverId: 'rockets', toolName: `look_${String(n)}`, effect: 'allow' as const, priority: 100 - n, note: 'Looking changes nothing.' })),
  { toolName: 'explode', effect: 'deny', priority: 50, condition: 'under(input.path, "/home/somebody/a-folder-with-a-long-name")' },
  { effect: 'ask', priority: 0 },
]

/** A desk where something happened. */
async function busy(): Promise<Setting> {
  const setting = await setUp(rules)
  const { desk, agentToken } = setting
  for (const n of [0, 1, 2]) await ask(desk.url, agentToken, `look_${String(n)}`, { input: { n } })
  await ask(desk.url, agentToken, 'explode', { input: { path: '/home/somebody/a-folder-with-a-long-name/x' } })
  await desk.createAgent('an-agent-with-a-rather-long-name')
  await ask(desk.url, agentToken, 'orbit', { sessionId: 'night', input: { n: 1 } })
  await desk.answer(await desk.firstPending(), { approved: true, scope: 'class', forSeconds: 900 })
  return setting
}

/** What is wider than its place, and texts of the navigation that are cut. */
const tooWide = (page: Page) =>
  page.evaluate(() => {
    const seen = (element: Element) => element.checkVisibility() && element.getBoundingClientRect().width > 3
    const over = (element: Element) => element.scrollWidth > element.clientWidth + 1
    const all = [...document.querySelectorAll('body *')].filter(seen)
    const wide = all.filter((element) => {
      const { overflowX, display } = getComputedStyle(element)
      const outside = element.getBoundingClientRect().right > document.documentElement.clientWidth + 1
      return outside && overflowX === 'visible' && display !== 'inline' && !inScroller(element)
    })
    const cut = all.filter((element) => element.closest('footer label') && getComputedStyle(element).textOverflow === 'ellipsis' && over(element))
    function inScroller(element: Element): boolean {
      for (let at = element.parentElement; at; at = at.parentElement) if (getComputedStyle(at).overflowX !== 'visible') return true
      return false
    }
    const sideways = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []
    return [...sideways, ...wide.map((element) => `wide: ${element.outerHTML.slice(0, 120)}`), ...cut.map((element) => `cut: ${element.textContent}`)]
  })

const go = async (page: Page, screen: string) => {
  await page.evaluate((name) => { location.hash = `#/${name}` }, screen)
  await page.locator(`nav a[href="#/${screen}"][aria-current="page"]`).waitFor({ state: 'attached' })
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
}

describe.each(locales)('in %s', (locale) => {
  test('no screen is wider than the window, and in a small one the switches are read whole and the rules begin in view', async () => {
    const { desk } = await busy()
    const page = await openDeskPage(browser(), desk, { locale, reducedMotion: 'reduce' })
    for (const screen of ['waiting', 'rules', 'grants', 'activity', 'insights', 'work', 'servers', 'agents', 'settings']) {
      await go(page, screen)
      if (screen === 'rules') await page.locator('main li').nth(12).waitFor()
      for (const size of sizes) {
        await page.setViewportSize(size)
        expect(await tooWide(page), `${screen} at ${String(size.width)}`).toEqual([])
      }
    }
    await go(page, 'rules')
    await page.setViewportSize(small)
    const first = await page.locator('main li').first().boundingBox()
    expect(first?.y).toBeLessThan(small.height * 0.65)
  })

  test('the dialog has room for the act: its foot is at most a third, and a small change of a file is in view at once', async () => {
    const setting = await setUpFiles()
    const { desk, agentToken, files } = setting
    const path = join(files, 'pond.md')
    writeFileSync(path, '# Pond\n\nThe old pond;\na frog jumps in.\n')
    const page = await openDeskPage(browser(), desk, { locale, reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } })
    await request(desk.url, agentToken, 'POST', '/v1/calls', { runId: 'r', toolCallId: '1', serverId: 'filesystem', toolName: 'write_file', input: { path, content: '# Pond\n\nThe old pond;\na frog jumps in:\nthe sound of water.\n' } })
    const box = page.getByRole('alertdialog')
    await box.locator('[data-ready="true"]').waitFor()
    await box.locator('li[data-old]').first().waitFor()
    const sheet = await box.boundingBox()
    const answers = await box.locator('dl:has(textarea)').boundingBox()
    const head = await box.locator('header').boundingBox()
    if (!sheet || !answers || !head) throw new Error('no dialog')
    expect((sheet.y + sheet.height - answers.y) / sheet.height).toBeLessThan(1 / 3)
    for (const row of await box.locator('li[data-old], li[data-new]').all()) {
      const at = await row.boundingBox()
      expect(at && at.y >= head.y + head.height && at.y + at.height <= answers.y).toBe(true)
    }
    expect(await box.getByRole('checkbox').count()).toBe(0) // nothing is left to be read
  })
})

test('columns stand below each other: in the rules whatever their number, in the lists whatever their words', async () => {
  const { desk } = await busy()
  const page = await openDeskPage(browser(), desk, { viewport: { width: 1280, height: 900 }, locale: 'ru-RU' })
  const starts = async (what: string, of: (box: { x: number; width: number }) => number) => {
    const places = await page.locator(what).all().then((all) => Promise.all(all.map((one) => one.boundingBox())))
    return new Set(places.flatMap((box) => (box ? [Math.round(of(box))] : [])))
  }
  await go(page, 'rules')
  await until('the rules', async () => (await page.locator('main li [data-whole="false"]').count()) === 13)
  expect([...(await starts('main li [data-whole="false"]', ({ x }) => x))]).toHaveLength(1)
  await go(page, 'activity')
  await until('the calls', async () => (await page.locator('[aria-posinset]').count()) >= 5)
  expect([...(await starts('[aria-posinset] [role="gridcell"]:nth-child(2)', ({ x }) => x))]).toHaveLength(1)
  expect([...(await starts('[aria-posinset] [role="gridcell"]:nth-child(3)', ({ x, width }) => x + width))]).toHaveLength(1)
  const list = await page.getByRole('treegrid').boundingBox()
  const age = await page.locator('[aria-posinset] [role="gridcell"]:nth-child(3)').first().boundingBox()
  if (!list || !age) throw new Error('no list')
  expect(list.x + list.width - age.x - age.width).toBeLessThan(24) // no band is left empty for what comes with the pointer
  await go(page, 'agents')
  await until('the agents', async () => (await page.locator('main li button').count()) >= 4)
  expect([...(await starts('main li:has(button + button) > button:last-of-type', ({ x, width }) => x + width))]).toHaveLength(1)
})

test.each(sizes)('the list of all that waits has the whole dialog: no call is answered that is not in view, at $width x $height', async (viewport) => {
  const setting = await setUp()
  for (let n = 0; n < 3; n++) await ask(setting.desk.url, setting.agentToken, `tool_${String(n)}`, { input: { n } })
  const page = await openDeskPage(browser(), setting.desk, { viewport, reducedMotion: 'reduce' })
  const dialog = await new ApprovalDialog(page, 'tool_0').shown()
  await dialog.box.getByRole('button', { name: 'All' }).click()
  const list = dialog.box.getByRole('region', { name: 'What waits' })
  await list.getByRole('row').first().waitFor()
  expect(await dialog.box.locator('footer').isVisible()).toBe(false)
  expect(await dialog.box.getByRole('textbox').count()).toBe(0)
  await page.keyboard.press('Escape')
  await dialog.box.locator('footer').waitFor()
  expect(await dialog.box.getByRole('textbox', { name: 'Reason for declining' }).isVisible()).toBe(true)
})

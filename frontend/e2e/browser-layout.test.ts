/** Where things stand: what belongs together is in line, and what matters is in view. What is too wide is looked for in browser-walk. */
import { expect, test } from 'vitest'
import { aBrowser, goTo, openDeskPage } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp, type Setting } from './harness/fixtures'
import { ask, type RuleInput } from './harness/operator'
import { languages, speak } from './harness/speak'
import { until } from './harness/wait'

const browser = aBrowser()

const [large, middle, small] = [{ width: 1280, height: 900 }, { width: 900, height: 700 }, { width: 560, height: 420 }]

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

test('columns stand below each other, in the rules and in the lists, and in a small window the rules begin in view in each language', async () => {
  const { desk } = await busy()
  const page = await openDeskPage(browser(), desk, { viewport: large, locale: 'ru-RU' })
  const starts = async (what: string, of: (box: { x: number; width: number }) => number) => {
    const places = await page.locator(what).all().then((all) => Promise.all(all.map((one) => one.boundingBox())))
    return new Set(places.flatMap((box) => (box ? [Math.round(of(box))] : [])))
  }
  await goTo(page, 'rules')
  await until('the rules', async () => (await page.locator('main li [data-whole="false"]').count()) === 13)
  expect([...(await starts('main li [data-whole="false"]', ({ x }) => x))]).toHaveLength(1)
  for (const language of languages) {
    await page.setViewportSize(large)
    await speak(page, language)
    await page.locator('main li [data-whole="false"]').first().waitFor()
    await page.setViewportSize(small)
    expect((await page.locator('main li').first().boundingBox())?.y, language).toBeLessThan(small.height * 0.65)
  }
  await page.setViewportSize(large)
  await goTo(page, 'activity')
  await until('the calls', async () => (await page.locator('[aria-posinset]').count()) >= 5)
  expect([...(await starts('[aria-posinset] [role="gridcell"]:nth-child(2)', ({ x }) => x))]).toHaveLength(1)
  expect([...(await starts('[aria-posinset] [role="gridcell"]:nth-child(3)', ({ x, width }) => x + width))]).toHaveLength(1)
  const list = await page.getByRole('treegrid').boundingBox()
  const age = await page.locator('[aria-posinset] [role="gridcell"]:nth-child(3)').first().boundingBox()
  if (!list || !age) throw new Error('no list')
  expect(list.x + list.width - age.x - age.width).toBeLessThan(24) // no band is left empty for what comes with the pointer
  await goTo(page, 'agents')
  await until('the agents', async () => (await page.locator('main li button').count()) >= 4)
  expect([...(await starts('main li:has(button + button) > button:last-of-type', ({ x, width }) => x + width))]).toHaveLength(1)
})

test('the list of all that waits has the whole dialog: no call is answered that is not in view, in a window of any size', async () => {
  const setting = await setUp()
  for (let n = 0; n < 3; n++) await ask(setting.desk.url, setting.agentToken, `tool_${String(n)}`, { input: { n } })
  const page = await openDeskPage(browser(), setting.desk, { reducedMotion: 'reduce' })
  const dialog = await new ApprovalDialog(page, 'tool_0').shown()
  const list = dialog.box.getByRole('region', { name: 'What waits' })
  for (const size of [large, middle, small]) {
    await page.setViewportSize(size)
    await dialog.box.getByRole('button', { name: 'All' }).click()
    await list.getByRole('row').first().waitFor()
    expect(await dialog.box.locator('footer').isVisible(), String(size.width)).toBe(false)
    expect(await dialog.box.getByRole('textbox').count(), String(size.width)).toBe(0)
    await page.keyboard.press('Escape')
    await dialog.box.locator('footer').waitFor()
    expect(await dialog.box.getByRole('textbox', { name: 'Reason for declining' }).isVisible(), String(size.width)).toBe(true)
  }
})

import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openDeskPage, aBrowser } from './harness/browser'
import { setUp } from './harness/fixtures'
import type { RuleInput } from './harness/operator'
import { RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

const rule = (toolName: string, effect: 'allow' | 'ask' | 'deny', priority: number): RuleInput =>
  ({ id: toolName, serverId: 'rockets', toolName, effect, priority })
const four = [rule('one', 'allow', 40), rule('two', 'deny', 30), rule('three', 'ask', 20), rule('four', 'allow', 10)]
const forty = Array.from({ length: 40 }, (_, i) => rule(`t${String(i)}_`, 'ask', 100 - i))

async function opened(rules: readonly RuleInput[]) {
  const { desk } = await setUp(rules)
  const page = await openDeskPage(browser(), desk)
  const screen = await new RulesScreen(page).open()
  await screen.handle(rules[0]?.toolName ?? '').waitFor()
  const inForce = async () => (await desk.rules()).map(({ id }) => id)
  return { page, screen, inForce }
}

/** Waits until the rules that the desk looks at first are these, and the page shows it. */
async function stands({ screen, inForce }: Awaited<ReturnType<typeof opened>>, first: string[]): Promise<void> {
  const wanted = (order: (string | undefined)[]) => order.slice(0, first.length).join() === first.join()
  await until(first.join(), async () => wanted(await inForce()) && wanted(await screen.order()))
}

const announced = (page: Page) => page.getByRole('status').filter({ hasText: /Rule \d|Moved|Put back/ }).allInnerTexts()

test('by the keys alone a rule is picked up, moved and dropped, taken back by Undo, put back by Escape and by leaving it', async () => {
  const all = await opened(four)
  const { page, screen } = all
  await screen.handle('three').focus()
  await page.keyboard.press('Space')
  await until('what to do', async () => (await announced(page)).join().includes('Picked up rockets · three. Arrow keys move it'))
  await page.keyboard.press('ArrowUp')
  await until('the place', async () => (await announced(page)).join().includes('Rule 2 of 4, above rockets · two'))
  expect(await screen.order()).toEqual(['one', 'three', 'two', 'four'])
  expect(await all.inForce()).toEqual(['one', 'two', 'three', 'four'])
  await page.keyboard.press('Home')
  await page.keyboard.press('End')
  await until('the end', async () => (await announced(page)).join().includes('Rule 4 of 4, at the end'))
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await stands(all, ['one', 'two', 'three', 'four']) // where it was: nothing happens
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)

  for (const key of ['Space', 'Home', 'Space']) await page.keyboard.press(key)
  await stands(all, ['three', 'one', 'two', 'four'])
  expect((await announced(page)).join()).toContain('Moved. Rule 1 of 4, above rockets · one')
  expect(await screen.handle('three').evaluate((handle) => handle === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await stands(all, ['one', 'two', 'three', 'four'])

  await screen.handle('four').focus()
  for (const key of ['Space', 'Home']) await page.keyboard.press(key)
  expect(await screen.order()).toEqual(['four', 'one', 'two', 'three'])
  await page.keyboard.press('Escape')
  await stands(all, ['one', 'two', 'three', 'four'])
  for (const key of ['Space', 'Home', 'Tab']) await page.keyboard.press(key)
  await until('it is back', async () => (await announced(page)).join().includes('Put back'))
  await stands(all, ['one', 'two', 'three', 'four'])
})

/** Drags a handle to where a row begins, in steps as a hand does. */
async function drag(page: Page, handle: Locator, to: Locator): Promise<void> {
  const from = await handle.boundingBox()
  const target = await to.boundingBox()
  if (!from || !target) throw new Error('not in view')
  await page.mouse.move(from.x + 10, from.y + 10)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, target.y + 6, { steps: 6 })
}

test('by the mouse a rule is dropped where the line is, left by Escape, and goes far: the page scrolls at its edge', async () => {
  const all = await opened(forty)
  const { page, screen, inForce } = all
  await drag(page, screen.handle('t3_'), screen.row('t1_'))
  expect(await screen.row('t1_').locator('[data-drop=true]').count()).toBe(1)
  expect((await inForce()).slice(0, 4)).toEqual(['t0_', 't1_', 't2_', 't3_'])
  await page.keyboard.press('Escape')
  await page.mouse.up()
  expect(await page.locator('[data-drop=true]').count()).toBe(0)
  await stands(all, ['t0_', 't1_', 't2_', 't3_'])

  await drag(page, screen.handle('t3_'), screen.row('t1_'))
  await page.mouse.up()
  await stands(all, ['t0_', 't3_', 't1_', 't2_'])

  await screen.handle('t0_').click() // a click picks up, too, for the keys to move
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await stands(all, ['t3_', 't0_', 't1_', 't2_'])
  await page.getByText('Moved: rockets · t0_').waitFor() // it stands above the list

  await drag(page, screen.handle('t0_'), screen.row('t1_'))
  await page.mouse.move(400, 715, { steps: 4 })
  await until('the end', async () => (await screen.row('Nothing matched').boundingBox().then((box) => box?.y ?? 9999)) < 700)
  await until('the line at the end', () => screen.row('Nothing matched').locator('[data-drop=true]').count())
  await page.mouse.up()
  await until('it is the last', async () => (await inForce()).at(-1) === 't0_')
})

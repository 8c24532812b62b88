import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openDeskPage, aBrowser } from './harness/browser'
import { setUp } from './harness/fixtures'
import { request, type RuleInput } from './harness/operator'
import { RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

const four: readonly RuleInput[] = ['one', 'two', 'three', 'four'].map((toolName, i) => ({ id: toolName, serverId: 'rockets', toolName, effect: (['allow', 'deny', 'ask', 'allow'] as const)[i] ?? 'ask', priority: 40 - i * 10 }))

async function opened(rules: readonly RuleInput[] = four, expected?: RegExp) {
  const { desk } = await setUp(rules)
  const page = await openDeskPage(browser(), desk, expected ? { expected } : {})
  const screen = await new RulesScreen(page).open()
  await screen.row('Nothing matched').waitFor()
  const inForce = async () => ((await request(desk.url, desk.token, 'GET', '/v1/rules')).body.rules as { id: string }[]).map(({ id }) => id)
  return { desk, page, screen, inForce }
}

/** Waits until the desk judges in this order, and the page shows it. */
async function stands({ screen, inForce }: Awaited<ReturnType<typeof opened>>, order: string[]): Promise<void> {
  await until(order.join(), async () => (await inForce()).join() === order.join() && (await screen.order()).join() === order.join())
}

const announced = (page: Page) => page.getByRole('status').filter({ hasText: /Rule \d|Moved|Put back/ }).allInnerTexts()

describe('by the keyboard alone, a rule', () => {
  test('is picked up, moved step by step and dropped; each step is told; Undo takes it back', async () => {
    const all = await opened()
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
  })

  test('is put back by Escape, and by leaving it', async () => {
    const all = await opened()
    const { page, screen } = all
    await screen.handle('four').focus()
    for (const key of ['Space', 'Home']) await page.keyboard.press(key)
    expect(await screen.order()).toEqual(['four', 'one', 'two', 'three'])
    await page.keyboard.press('Escape')
    await stands(all, ['one', 'two', 'three', 'four'])
    for (const key of ['Space', 'Home', 'Tab']) await page.keyboard.press(key)
    await until('it is back', async () => (await announced(page)).join().includes('Put back'))
    await stands(all, ['one', 'two', 'three', 'four'])
  })

  test('is not moved over what someone else changed meanwhile', async () => {
    const all = await opened(four, /412|ERR_FAILED/)
    const { desk, page, screen } = all
    await page.route('**/v1/events*', (route) => route.abort()) // the page hears of nothing
    await page.route('**/v1/rules', async (route) => {
      const answer = await route.fetch()
      await request(desk.url, desk.token, 'PATCH', '/v1/rules/one', { note: 'theirs' })
      await route.fulfill({ response: answer })
    }, { times: 1 })
    await page.reload()
    await screen.row('Nothing matched').waitFor()
    await screen.handle('four').focus()
    for (const key of ['Space', 'Home', 'Space']) await page.keyboard.press(key)
    await page.getByRole('alert').filter({ hasText: 'changed meanwhile, so nothing was moved' }).waitFor()
    await screen.row('theirs').waitFor()
    await stands(all, ['one', 'two', 'three', 'four'])
    for (const key of ['Space', 'Home', 'Space']) await page.keyboard.press(key)
    await stands(all, ['four', 'one', 'two', 'three'])
    expect(await page.getByRole('alert').filter({ hasText: 'meanwhile' }).count()).toBe(0)
  })
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

describe('by the mouse, a rule', () => {
  test('is dropped where the line is, and Escape on the way leaves it', async () => {
    const all = await opened()
    const { page, screen } = all
    await drag(page, screen.handle('four'), screen.row('two'))
    expect(await screen.row('two').locator('[data-drop=true]').count()).toBe(1)
    expect(await all.inForce()).toEqual(['one', 'two', 'three', 'four'])
    await page.keyboard.press('Escape')
    await page.mouse.up()
    expect(await page.locator('[data-drop=true]').count()).toBe(0)
    await stands(all, ['one', 'two', 'three', 'four'])

    await drag(page, screen.handle('four'), screen.row('two'))
    await page.mouse.up()
    await stands(all, ['one', 'four', 'two', 'three'])
    await drag(page, screen.handle('one'), screen.row('Nothing matched'))
    await page.mouse.up()
    await stands(all, ['four', 'two', 'three', 'one'])
  })

  test('goes far: the page scrolls by itself at its edge', async () => {
    const forty = Array.from({ length: 40 }, (_, i) => ({ id: `r${String(i)}`, serverId: 'rockets', toolName: `t${String(i)}_`, effect: 'ask' as const, priority: 100 - i }))
    const { page, screen, inForce } = await opened(forty)
    await drag(page, screen.handle('t0_'), screen.row('t1_'))
    await page.mouse.move(400, 715, { steps: 4 })
    await until('the end', async () => (await screen.row('Nothing matched').boundingBox().then((box) => box?.y ?? 9999)) < 700)
    await until('the line at the end', () => screen.row('Nothing matched').locator('[data-drop=true]').count())
    await page.mouse.up()
    await until('it is the last', async () => (await inForce()).at(-1) === 'r0')
  })

  test('is picked up by a click, too, and moved by the keys', async () => {
    const all = await opened()
    const { page, screen } = all
    await screen.handle('one').click()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await stands(all, ['two', 'one', 'three', 'four'])
  })
})

test('among those that a search shows, a rule stands right before the next of them', async () => {
  const all = await opened([...four, { id: 'between', serverId: 'boats', toolName: 'between', effect: 'ask', priority: 35 }])
  const { page, screen } = all
  await page.keyboard.press('/')
  await page.keyboard.type('rockets')
  await until('the search', async () => (await screen.order()).length === 4)
  await screen.handle('four').focus()
  for (const key of ['Space', 'ArrowUp', 'ArrowUp', 'Space']) await page.keyboard.press(key)
  await until('the order', async () => (await all.inForce()).join() === 'one,between,four,two,three')
  expect(await screen.order()).toEqual(['one', 'four', 'two', 'three'])
  expect(await screen.handle('four').innerText()).toBe('3') // its place among all
})

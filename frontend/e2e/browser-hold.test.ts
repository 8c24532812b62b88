import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

test('holding everything, by the keyboard: even what a rule allows waits, every screen says so, and the desk keeps it', async () => {
  const { desk, agentToken } = await setUp([{ serverId: 'rockets', toolName: 'launch', effect: 'allow' }])
  const page = await openDeskPage(browser(), desk)
  const hold = page.getByRole('checkbox', { name: 'Hold everything' })
  const held = page.getByText('Everything is held: nothing new is done without asking. Connecting, lists and what is under way still pass.')
  await hold.waitFor()
  expect(await hold.isChecked()).toBe(false)
  const before = await ask(desk.url, agentToken, 'launch', { input: { n: 1 } })
  expect(await desk.call(before.id)).toMatchObject({ status: 'approved' })

  await hold.focus()
  await page.keyboard.press('Space')
  await held.waitFor()
  for (const screen of ['Rules', 'Activity', 'Servers', 'Agents', 'Waiting']) {
    await screenLink(page, screen).click()
    await page.getByRole('heading', { level: 1, name: screen }).waitFor()
    expect(await held.isVisible()).toBe(true)
  }
  const during = await ask(desk.url, agentToken, 'launch', { input: { n: 2 } })
  expect(await desk.call(during.id)).toMatchObject({ status: 'pending' })
  const dialog = await new ApprovalDialog(page, 'launch').shown()
  await dialog.pressApprove()
  await dialog.gone()

  await page.reload()
  await held.waitFor()
  await hold.uncheck()
  await held.waitFor({ state: 'detached' })
  const after = await ask(desk.url, agentToken, 'launch', { input: { n: 3 } })
  expect(await desk.call(after.id)).toMatchObject({ status: 'approved' })
})

test('one page holds, another one says so at once', async () => {
  const { desk } = await setUp()
  const [one, two] = [await openDeskPage(browser(), desk), await openDeskPage(browser(), desk)]
  const [first, second] = [one, two].map((page) => page.getByRole('checkbox', { name: 'Hold everything' }))
  await second?.waitFor()
  await first?.check()
  await until('word in the other page', () => second?.isChecked())
})

test('the panic key while a release is under way: the last wish is sent at once, and stands', async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk)
  const hold = page.getByRole('checkbox', { name: 'Hold everything' })
  const held = async () => (await request(desk.url, desk.token, 'GET', '/v1/settings')).body.hold
  await hold.check()
  await until('the hold', held)
  const sent: unknown[] = []
  let letGo = (): void => undefined
  const released = new Promise<void>((done) => (letGo = done))
  await page.route('**/v1/hold', async (route) => {
    const wish = route.request().postDataJSON() as { on: boolean }
    sent.push(wish.on)
    if (!wish.on) await released
    await route.continue()
  })
  await hold.uncheck()
  await until('the release to be under way', () => sent.length === 1)
  await page.keyboard.press('Control+Shift+H')
  await until('the hold to be sent', () => sent.length === 2)
  expect(await hold.isChecked()).toBe(true)
  letGo()
  await until('all wishes to be answered', async () => sent.length === 3 && (await held()))
  expect(sent).toEqual([false, true, true])
  await ask(desk.url, agentToken, 'launch') // what the page hears of it comes after all that was told before
  await new ApprovalDialog(page, 'launch').shown()
  expect(await held()).toBe(true)
  expect(await hold.isChecked()).toBe(true)
})

test('the panic key holds also where the page did not hear yet that another one released', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk)
  const hold = page.getByRole('checkbox', { name: 'Hold everything' })
  const held = async () => (await request(desk.url, desk.token, 'GET', '/v1/settings')).body.hold
  await hold.check()
  await until('the hold', held)
  await page.getByText('Everything is held').waitFor()
  await page.route('**/v1/settings', (route) => new Promise((done) => setTimeout(done, 5_000)).then(() => route.continue().catch(() => undefined)))
  await request(desk.url, desk.token, 'POST', '/v1/hold', { on: false })
  await page.keyboard.press('Control+Shift+H')
  await until('the hold again', held)
})

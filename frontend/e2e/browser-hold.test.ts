import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

test('holding everything, by the keyboard: even what a rule allows waits, the page says so, and the desk keeps it', async () => {
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
  await screenLink(page, 'Rules').click()
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
  expect(await held.isVisible()).toBe(true)
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

  await ask(desk.url, agentToken, 'land')
  await new ApprovalDialog(page, 'land').shown()
  await page.keyboard.press('Control+Shift+H') // in a dialog too, beside which the switch takes no key
  await until('the hold', async () => (await request(desk.url, desk.token, 'GET', '/v1/settings')).body.hold)
})

import { expect, test } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { ApprovalDialog, notices } from './harness/dialog'
import { setUp, type Setting } from './harness/fixtures'
import { ask, request, type SeenCall } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** A call that was approved in the page and started by its agent, which then fell silent. */
async function inDoubt({ desk, agentToken }: Setting, page: Page, tool: string, more: Record<string, unknown> = {}): Promise<SeenCall> {
  const { id } = await ask(desk.url, agentToken, tool, more)
  const dialog = await new ApprovalDialog(page, tool).shown()
  await dialog.pressApprove()
  await dialog.gone()
  await claim({ desk, agentToken }, await desk.call(id), 'first')
  await until('the lease to be over', async () => (await desk.call(id)).status === 'in_doubt')
  return desk.call(id)
}

async function claim({ desk, agentToken }: Pick<Setting, 'desk' | 'agentToken'>, call: SeenCall, claimKey: string): Promise<string> {
  const answer = await request(desk.url, agentToken, 'POST', `/v1/calls/${call.id}/claim`, { inputHash: call.inputHash, claimant: 'e2e', claimKey, leaseSeconds: 1 })
  expect(answer.status).toBe(200)
  return (answer.body.call as { claimId: string }).claimId
}

/** The card of a call in doubt. */
function cardOf(page: Page, tool: string): Locator {
  return page.getByRole('alertdialog', { name: `scribe started ${tool} on rockets` })
}

/** Puts off cards until as many calls in doubt are told in the bar instead. */
async function putOffAll(page: Page, count: number): Promise<void> {
  await until('the bar', async () => {
    if ((await page.getByRole('alertdialog').count()) > 0) await page.keyboard.press('Escape')
    return page.getByText(`${String(count)} call${count > 1 ? 's were' : ' was'} started and gave no answer`).isVisible()
  })
}

test('a call in doubt has its own card: what it was, and nothing that runs it by a single press', async () => {
  const setting = await setUp()
  const page = await openDeskPage(browser(), setting.desk)
  const call = await inDoubt(setting, page, 'launch', { input: { to: 'the moon' }, cwd: '/pad' })
  const card = cardOf(page, 'launch')
  await card.waitFor()
  const words = await card.innerText()
  for (const part of ['no answer came back', 'wholly, in part, or not at all', 'Look at what happened first']) expect(words).toContain(part)
  await until('its input', async () => (await card.innerText()).includes('the moon'))
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2')
  await card.getByText('Names, folder and rule').click()
  expect(await card.innerText()).toContain('in folder /pad')

  await card.getByRole('button', { name: 'Run again…' }).click()
  const sure = card.getByRole('group', { name: 'Run it a second time?' })
  expect(await sure.innerText()).toContain('done twice')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  await sure.getByRole('button', { name: 'Run it again' }).click({ force: true, noWaitAfter: true })
  await page.keyboard.press('Control+Enter')
  await pause(300)
  expect((await setting.desk.call(call.id)).status).toBe('in_doubt')
  await page.keyboard.press('Escape')
  await sure.waitFor({ state: 'detached' })
  await card.waitFor()

  await page.keyboard.press('Enter')
  await until('the second yes', async () => (await sure.getByRole('button', { name: 'Run it again' }).getAttribute('aria-disabled')) === 'false')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await card.waitFor({ state: 'detached' })
  expect(await notices(page)).toContain('May run again: launch')
  const claimId = await claim(setting, await setting.desk.call(call.id), 'second')
  expect((await request(setting.desk.url, setting.agentToken, 'POST', `/v1/calls/${call.id}/result`, { claimId, ok: true })).status).toBe(200)
})

test('a call in doubt can be put off, and closed from the bar', async () => {
  const setting = await setUp()
  const page = await openDeskPage(browser(), setting.desk)
  const call = await inDoubt(setting, page, 'launch')
  await cardOf(page, 'launch').waitFor()
  await page.keyboard.press('Escape')
  await cardOf(page, 'launch').waitFor({ state: 'detached' })
  const bar = page.getByRole('region', { name: 'What waits' })
  await bar.getByText('1 call was started and gave no answer').waitFor()
  expect((await setting.desk.call(call.id)).status).toBe('in_doubt')
  await bar.getByRole('button', { name: 'Look' }).click()
  await cardOf(page, 'launch').getByRole('button', { name: 'Close as failed' }).click()
  await until('the desk', async () => (await setting.desk.call(call.id)).status === 'failed')
  await bar.waitFor({ state: 'detached' })
})

test('a call that waits comes before one in doubt, which takes no press meant for it', async () => {
  const setting = await setUp()
  const page = await openDeskPage(browser(), setting.desk)
  const call = await inDoubt(setting, page, 'launch')
  await cardOf(page, 'launch').waitFor()
  await ask(setting.desk.url, setting.agentToken, 'land')
  await cardOf(page, 'launch').getByText('1 call is waiting for you').waitFor()
  expect(await cardOf(page, 'launch').getByRole('button', { name: 'Close as failed' }).isDisabled()).toBe(true)
  await (await new ApprovalDialog(page, 'land').shown()).pressDecline()
  await cardOf(page, 'launch').waitFor()
  expect((await setting.desk.call(call.id)).status).toBe('in_doubt')
})

test('a call in doubt is settled by a person who looked, on the activity screen too', async () => {
  const setting = await setUp()
  const { desk, agentToken } = setting
  const page = await openDeskPage(browser(), desk)
  const again = await inDoubt(setting, page, 'land')
  const over = await inDoubt(setting, page, 'launch')
  await putOffAll(page, 2)
  await screenLink(page, 'Activity').click()
  const row = (tool: string) => page.getByRole('main').locator('[aria-posinset]').filter({ hasText: tool })
  await row('land').getByText('In doubt').waitFor()
  expect(await row('land').innerText()).toContain('no answer came back')

  await row('land').getByRole('button', { name: 'Run again' }).click()
  await row('land').getByText('Approved').waitFor()
  const claimId = await claim(setting, await desk.call(again.id), 'second')
  const done = await request(desk.url, agentToken, 'POST', `/v1/calls/${again.id}/result`, { claimId, ok: true })
  expect(done.status).toBe(200)
  await row('land').getByText('Completed').waitFor()

  await row('launch').getByRole('button', { name: 'Close' }).click()
  await row('launch').getByText('Failed').waitFor()
  expect(await desk.call(over.id)).toMatchObject({ status: 'failed' })
  await until('nothing to be answered any more', async () => (await page.getByRole('button', { name: /Run again|Close/ }).count()) === 0)
})

test('a call that was settled elsewhere is not settled twice, and both places say so', async () => {
  const setting = await setUp()
  const { desk } = setting
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const [one, two] = [await inDoubt(setting, page, 'launch'), await inDoubt(setting, page, 'land')]
  await page.route('**/v1/calls/*/resolve', async (route) => {
    for (const { id } of [one, two]) if (route.request().url().includes(id)) await request(desk.url, desk.token, 'POST', `/v1/calls/${id}/resolve`, { action: 'close' })
    await route.continue()
  })
  await cardOf(page, 'launch').getByRole('button', { name: 'Close as failed' }).click()
  await cardOf(page, 'land').waitFor()
  await until('clear words', async () => (await notices(page)).includes('Now: Failed. launch was settled elsewhere.'))
  await putOffAll(page, 1)

  await screenLink(page, 'Activity').click()
  await page.getByRole('button', { name: 'Run again: land' }).click()
  await page.getByText('This call is no longer in doubt. Nothing was changed.').waitFor()
  expect(await desk.call(two.id)).toMatchObject({ status: 'failed' })
})

import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { openDeskPage, aBrowser } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp, type Setting } from './harness/fixtures'
import { ask, request, type SeenCall } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

/** A call that was approved in the page and started by its agent, which then fell silent. */
async function inDoubt({ desk, agentToken }: Setting, page: Page, tool: string): Promise<SeenCall> {
  const { id } = await ask(desk.url, agentToken, tool)
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

test('a call in doubt is settled by a person who looked', async () => {
  const setting = await setUp()
  const { desk, agentToken } = setting
  const page = await openDeskPage(browser(), desk)
  const again = await inDoubt(setting, page, 'land')
  const over = await inDoubt(setting, page, 'launch')
  await page.getByRole('link', { name: 'Activity' }).click()
  const row = (tool: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: tool })
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
  expect(await page.getByRole('button', { name: /Run again|Close/ }).count()).toBe(0)
})

test('a call that was settled elsewhere is not settled twice, and the page says so', async () => {
  const setting = await setUp()
  const { desk } = setting
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const call = await inDoubt(setting, page, 'launch')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('In doubt').waitFor()
  await page.route('**/v1/calls/*/resolve', async (route) => {
    await request(desk.url, desk.token, 'POST', `/v1/calls/${call.id}/resolve`, { action: 'close' })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByText('This call is no longer in doubt. Nothing was changed.').waitFor()
  await page.getByText('Failed').waitFor()
  expect(await desk.call(call.id)).toMatchObject({ status: 'failed' })
})

import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, stopClock } from './harness/browser'
import { notices } from './harness/dialog'
import { setUp, type Setting } from './harness/fixtures'
import { ask, request, type SeenCall } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** A call that was approved and started by its agent, which then fell silent. */
async function inDoubt({ desk, agentToken }: Setting): Promise<SeenCall> {
  const { id } = await ask(desk.url, agentToken, 'launch', { input: { to: 'the moon' }, cwd: '/pad' })
  await desk.decide(await desk.call(id), true)
  await claim({ desk, agentToken }, await desk.call(id), 'first')
  await until('the lease to be over', async () => (await desk.call(id)).status === 'in_doubt')
  return desk.call(id)
}

async function claim({ desk, agentToken }: Pick<Setting, 'desk' | 'agentToken'>, call: SeenCall, claimKey: string): Promise<string> {
  const claiming = { inputHash: call.inputHash, claimant: 'e2e', claimKey, leaseSeconds: 1 }
  const answer = await request(desk.url, agentToken, 'POST', `/v1/calls/${call.id}/claim`, claiming)
  expect(answer.status).toBe(200)
  return (answer.body.call as { claimId: string }).claimId
}

test('a call in doubt has its own card: what it was, put off by Escape, and nothing that runs it again by a single press', async () => {
  const setting = await setUp()
  const page = await openDeskPage(browser(), setting.desk)
  const call = await inDoubt(setting)
  const card = page.getByRole('alertdialog', { name: 'scribe started launch on rockets' })
  await card.waitFor()
  const words = await card.innerText()
  for (const part of ['no answer came back', 'wholly, in part, or not at all', 'Look at what happened first']) expect(words).toContain(part)
  await until('its input', async () => (await card.innerText()).includes('the moon'))
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2')
  await card.getByText('Names, folder and rule').click()
  expect(await card.innerText()).toContain('in folder /pad')

  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })
  const bar = page.getByRole('region', { name: 'What waits' })
  await bar.getByText('1 call was started and gave no answer').waitFor()
  expect((await setting.desk.call(call.id)).status).toBe('in_doubt')
  await bar.getByRole('button', { name: 'Look' }).click()

  await stopClock(page)
  await card.getByRole('button', { name: 'Run again…' }).click()
  const sure = card.getByRole('group', { name: 'Run it a second time?' })
  expect(await sure.innerText()).toContain('done twice')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  const again = sure.getByRole('button', { name: 'Run it again' })
  await again.click({ force: true, noWaitAfter: true })
  await page.keyboard.press('Control+Enter')
  await pause(300)
  expect((await setting.desk.call(call.id)).status).toBe('in_doubt')
  await page.clock.resume()
  await page.keyboard.press('Escape')
  await sure.waitFor({ state: 'detached' })
  await card.waitFor()

  await page.keyboard.press('Enter')
  await until('the second yes', async () => (await again.getAttribute('aria-disabled')) === 'false')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await card.waitFor({ state: 'detached' })
  expect(await notices(page)).toContain('May run again: launch')
  const claimId = await claim(setting, await setting.desk.call(call.id), 'second')
  const result = await request(setting.desk.url, setting.agentToken, 'POST', `/v1/calls/${call.id}/result`, { claimId, ok: true })
  expect(result.status).toBe(200)
})

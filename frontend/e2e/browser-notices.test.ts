import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { ApprovalDialog, holdAnswers } from './harness/dialog'
import { setUp } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

const asked = [{ effect: 'ask' }] as const

const passingMs = 5_000

/** Answers a call that is settled before the answer gets there, so that it does not count. */
async function refusedAnswer(page: Page, press: () => Promise<void>, settle: () => Promise<void>): Promise<void> {
  const held = await holdAnswers(page)
  await press()
  await held.caught
  await settle()
  held.release()
}

test('a yes that did not count is told until it is closed', async () => {
  const { desk, agentToken } = await setUp(asked)
  await desk.changeSettings({ undoSeconds: 0 })
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const call = await ask(desk.url, agentToken, 'launch')
  const dialog = await new ApprovalDialog(page, 'launch').shown()
  await refusedAnswer(page, () => dialog.pressApprove(), call.cancel)
  const refusal = page.getByRole('alert').filter({ hasText: 'The agent took this call back' })
  await refusal.waitFor()
  await pause(passingMs + 1_500)
  expect(await refusal.isVisible()).toBe(true)
  await refusal.getByRole('button', { name: 'Close' }).click()
  await refusal.waitFor({ state: 'detached' })
})

test('a refusal stays beside the next call too, and what is told of names of any length moves no button away', async () => {
  const { desk, agentToken } = await setUp(asked)
  await desk.changeSettings({ undoSeconds: 0 })
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const long = `tool_${'x'.repeat(240)}`
  const first = await ask(desk.url, agentToken, long)
  const dialog = await new ApprovalDialog(page, long).shown()
  await ask(desk.url, agentToken, 'second')
  await ask(desk.url, agentToken, 'third')
  await refusedAnswer(page, () => dialog.pressDecline(), first.cancel)
  const second = await new ApprovalDialog(page, 'second').shown()
  const refusal = second.box.getByRole('alert').filter({ hasText: 'The agent took this call back' })
  await refusal.waitFor()
  const line = await refusal.boundingBox()
  expect(line?.height).toBeLessThan(60)
  expect(await refusal.getByText('The agent took this call back').isVisible()).toBe(true)
  await second.armed()
  const before = await second.approve.boundingBox()
  await refusal.getByRole('button', { name: 'Close' }).click()
  await refusal.waitFor({ state: 'detached' })
  const after = await second.approve.boundingBox()
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(10) // a quarter of a button
})

test('that a call was settled elsewhere is told in one line, how it stands first', async () => {
  const { desk, agentToken } = await setUp(asked)
  const page = await openDeskPage(browser(), desk)
  const long = `tool_${'x'.repeat(240)}`
  const first = await ask(desk.url, agentToken, long)
  await new ApprovalDialog(page, long).shown()
  await ask(desk.url, agentToken, 'second')
  await pause(500)
  await first.cancel()
  const second = await new ApprovalDialog(page, 'second').shown()
  const told = second.box.getByRole('status').filter({ hasText: 'was settled elsewhere' })
  await until('how it stands', async () => (await told.innerText()).startsWith('Now: Cancelled.'))
  const line = await told.boundingBox()
  expect(line?.height).toBeLessThan(30)
  await page.setViewportSize({ width: 390, height: 844 })
  const [answer, box] = [await second.approve.boundingBox(), await second.box.boundingBox()]
  expect((answer?.x ?? 0) + (answer?.width ?? 0), 'the whole button is in the dialog').toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
})

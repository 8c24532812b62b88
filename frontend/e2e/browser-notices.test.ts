import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { ApprovalDialog, holdAnswers } from './harness/dialog'
import { setUp } from './harness/fixtures'
import { ask } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

const asked = [{ effect: 'ask' }] as const

/** Answers a call that is settled before the answer gets there, so that it does not count. */
async function refusedAnswer(page: Page, press: () => Promise<void>, settle: () => Promise<void>): Promise<void> {
  const held = await holdAnswers(page)
  await press()
  await held.caught
  await settle()
  held.release()
}

test('what is told beside a call, of names of any length, has little height, news first, and moves no button away', async () => {
  const { desk, agentToken } = await setUp(asked)
  await desk.changeSettings({ undoSeconds: 0 })
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const [long, longer] = [`tool_${'x'.repeat(240)}`, `tool_${'y'.repeat(240)}`]
  const first = await ask(desk.url, agentToken, long)
  const dialog = await new ApprovalDialog(page, long).shown()
  const next = await ask(desk.url, agentToken, longer)
  await ask(desk.url, agentToken, 'third')
  await refusedAnswer(page, () => dialog.pressDecline(), first.cancel)
  const second = await new ApprovalDialog(page, longer).shown()
  const refusal = second.box.getByRole('alert').filter({ hasText: 'The agent took this call back' })
  await refusal.waitFor()
  expect((await refusal.boundingBox())?.height).toBeLessThan(60)
  expect(await refusal.getByText('The agent took this call back').isVisible()).toBe(true)
  await second.armed()
  const before = await second.approve.boundingBox()
  await refusal.getByRole('button', { name: 'Close' }).click()
  await refusal.waitFor({ state: 'detached' })
  const after = await second.approve.boundingBox()
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(10) // a quarter of a button

  await next.cancel()
  const third = await new ApprovalDialog(page, 'third').shown()
  const told = third.box.getByRole('status').filter({ hasText: 'was settled elsewhere' })
  await until('how it stands', async () => (await told.innerText()).startsWith('Now: Cancelled.'))
  expect((await told.boundingBox())?.height).toBeLessThan(30)
  await page.setViewportSize({ width: 390, height: 844 })
  const [answer, box] = [await third.approve.boundingBox(), await third.box.boundingBox()]
  expect((answer?.x ?? 0) + (answer?.width ?? 0), 'the whole button is in the dialog').toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
})

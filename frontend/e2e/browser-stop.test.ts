/** Stopping an agent from the dialog of its call, and taking that back. */
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { openAgent, setUpFiles } from './harness/fixtures'
import { ask } from './harness/operator'

const browser = aBrowser()

const refusal = /^A person stopped this agent\. The call was not executed, and for 15 minutes none of your calls is/

test('an agent is stopped from the dialog of its call: all that it asked is declined, what it asks later is refused, and a button lets it go on', async () => {
  const { desk, agentToken } = await setUpFiles()
  const other = await desk.createAgent('nightly')
  const agent = await openAgent(desk.url, agentToken)
  const page = await openDeskPage(browser(), desk)
  const flight = agent.call('write_file', { path: '/tmp/never.txt', content: 'x' })
  const dialog = await new ApprovalDialog(page, 'write_file').shown()
  const waits = await ask(desk.url, agentToken, 'launch')
  const theirs = await ask(desk.url, other, 'sweep')
  await desk.pending(3)
  const stop = dialog.button('Stop the agent')
  expect(await stop.getAttribute('title')).toMatch(/^Declines all that scribe asks.*15 minutes/)
  await dialog.armed(stop)
  await stop.click()
  await dialog.gone()

  expect(await flight.outcome).toMatchObject({ isError: true, text: expect.stringMatching(refusal) })
  expect(await desk.call(waits.id)).toMatchObject({ status: 'declined', decision: { by: 'person', approved: false } })
  expect(await desk.call(theirs.id)).toMatchObject({ status: 'pending' })
  // Its later calls, also those that a rule allows, by MCP with the sentence and over REST with the reason.
  expect(await agent.call('read_file', { path: '/tmp/never.txt' }).outcome.catch((error: unknown) => ({ isError: true, text: String(error) }))).toMatchObject({ isError: true })
  const later = await ask(desk.url, agentToken, 'land')
  expect(await desk.call(later.id)).toMatchObject({ status: 'declined', decision: { by: 'person', reason: 'a person stopped this agent' } })

  const next = await new ApprovalDialog(page, 'sweep').shown()
  await page.keyboard.press('Escape')
  await next.gone()
  const told = page.getByRole('status').filter({ hasText: /^scribe is stopped until .* by you\./ })
  await told.waitFor()
  await told.getByRole('button', { name: 'Let scribe go on' }).click()
  await told.waitFor({ state: 'detached' })
  const after = await ask(desk.url, agentToken, 'orbit')
  expect(await desk.call(after.id)).toMatchObject({ status: 'pending' })
  expect(await desk.call(later.id)).toMatchObject({ status: 'declined' })
})

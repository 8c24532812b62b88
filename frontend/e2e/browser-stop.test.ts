/** Stopping an agent: from the dialog of its call and from the list of the agents, and taking that back. */
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { openAgent, setUp, setUpFiles } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { until } from './harness/wait'

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

test('an agent is stopped from the list of the agents and goes on from there, as all pages and its own connection hear', async () => {
  const { desk, agentToken } = await setUp([{ effect: 'allow' }])
  const [page, elsewhere] = [await openDeskPage(browser(), desk), await openDeskPage(browser(), desk)]
  for (const at of [page, elsewhere]) await screenLink(at, 'Agents').click()
  const stop = page.getByRole('button', { name: 'Stop scribe' })
  await stop.focus()
  await page.keyboard.press('Enter')
  const goOn = page.getByRole('button', { name: 'Let scribe go on' })
  await goOn.waitFor()
  expect(await goOn.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.getByText(/^scribe is stopped until .* by you\.$/).waitFor()
  await elsewhere.getByRole('button', { name: 'Let scribe go on' }).waitFor()
  const stopped = await ask(desk.url, agentToken, 'look')
  expect(await desk.call(stopped.id)).toMatchObject({ status: 'declined', decision: { by: 'person', reason: 'a person stopped this agent' } })
  const { body } = await request(desk.url, desk.token, 'GET', '/v1/agents')
  const left = Date.parse((body.agents as { name: string; stoppedUntil: string }[]).find(({ name }) => name === 'scribe')?.stoppedUntil ?? '') - Date.now()
  expect(left).toBeGreaterThan(13 * 60_000)
  expect(left).toBeLessThanOrEqual(15 * 60_000)

  // An agent cannot take it back itself.
  const { agents } = body as { agents: { id: string; name: string }[] }
  const id = agents.find(({ name }) => name === 'scribe')?.id ?? ''
  expect((await request(desk.url, agentToken, 'POST', `/v1/agents/${id}/resume`, {})).status).toBe(403)
  await elsewhere.getByRole('button', { name: 'Let scribe go on' }).click()
  await stop.waitFor()
  await until('its calls to count again', async () => {
    const { id } = await ask(desk.url, agentToken, 'look')
    return (await desk.call(id)).status === 'approved'
  })
})

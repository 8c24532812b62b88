import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'
import { ask } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

test('the activity is searched by a key and its journal saved; what a person answered for a session is counted and ended', async () => {
  const { desk, agentToken } = await setUp([{ serverId: 'rockets', toolPattern: 'look_*', effect: 'allow' }, { serverId: 'rockets', toolName: 'explode', effect: 'deny' }])
  const allowed = await ask(desk.url, agentToken, 'look_up', { input: { n: 1 } })
  await ask(desk.url, agentToken, 'explode', { input: { n: 2 } })
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Activity').click()
  const rows = page.getByRole('treegrid', { name: 'Calls, newest first' }).locator('[aria-posinset]')
  await until('two rows', async () => (await rows.count()) === 2)
  await page.keyboard.press('/')
  await page.keyboard.type('LOOK')
  await until('one row', async () => (await rows.count()) === 1)
  expect(await rows.innerText()).toMatch(/look_up[^]*a rule[^]*Approved[^]*decided after/)
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export the journal' }).click()])
  const lines = readFileSync(await download.path(), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { callId: string | null })
  expect(lines.some((line) => line.callId === allowed.id)).toBe(true)

  await screenLink(page, 'Grants').click()
  await page.getByText('No grants').waitFor()
  await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 1 } })
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await desk.answer(await desk.firstPending(), { approved: true, scope: 'class', forSeconds: 900 })
  const row = page.getByRole('treegrid', { name: 'Live grants' }).locator('[aria-posinset]')
  await row.getByText('used 0 times').waitFor()
  const covered = await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 2 } })
  expect(await desk.call(covered.id)).toMatchObject({ status: 'approved', decision: { by: 'grant' } })
  await row.getByText('used 1 time').waitFor()
  await row.getByRole('button', { name: 'End' }).click()
  await page.getByText('No grants').waitFor()
  const after = await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 3 } })
  expect(await desk.call(after.id)).toMatchObject({ status: 'pending' })
})

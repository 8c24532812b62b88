import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDeskPage, aBrowser } from './harness/browser'
import { Child } from './harness/child'
import { ApprovalDialog } from './harness/dialog'
import { openAgent, openDesk, setUpFiles } from './harness/fixtures'
import { pause, until } from './harness/wait'

const browser = aBrowser()
const gone = 'The agent has stopped waiting'

test('a held call outlives the desk; its yes is honoured once, and only for who asks again', async () => {
  const { desk, data, files, agentToken } = await setUpFiles()
  const path = join(files, 'kept.txt')
  const input = { path, content: 'kept' }
  const before = await openAgent(desk.url, agentToken)
  before.call('write_file', input)
  const held = await desk.firstPending()
  desk.process.signal('SIGKILL')
  expect(await desk.process.ended(5_000)).toBe('SIGKILL')

  const again = await openDesk(data)
  const page = await openDeskPage(browser(), again)
  const dialog = await new ApprovalDialog(page, 'write_file').shown()
  expect(await dialog.text()).toContain(gone)
  expect((await again.firstPending()).id).toBe(held.id)
  await dialog.pressApprove()
  await dialog.gone()
  await pause(1_200)
  expect(existsSync(path)).toBe(false)

  const after = await openAgent(again.url, agentToken)
  expect(await after.call('write_file', input).outcome).toMatchObject({ isError: false })
  expect(readFileSync(path, 'utf8')).toBe('kept')
  expect((await again.calls()).map(({ id, status }) => [id, status])).toEqual([[held.id, 'completed']])

  after.call('write_file', input)
  await new ApprovalDialog(page, 'write_file').shown()
  expect((await again.firstPending()).id).not.toBe(held.id)
})

test('a yes for an agent that was killed runs nothing', async () => {
  const { desk, files, agentToken } = await setUpFiles()
  // What is in view may be reported in the moment in which it changes, because the agent leaves.
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const path = join(files, 'killed.txt')
  const script = join(import.meta.dirname, 'harness/agent-process.mjs')
  const agent = new Child(process.execPath, [script, `${desk.url}/mcp/filesystem`, agentToken, 'write_file', JSON.stringify({ path, content: 'x' })])
  onTestFinished(() => agent.end())
  const dialog = await new ApprovalDialog(page, 'write_file').shown()

  agent.signal('SIGKILL')
  await until('the desk to see it', async () => (await desk.firstPending()).callerGone)
  await until('the dialog to say it', async () => (await dialog.text()).includes(gone))
  await dialog.pressApprove()
  await dialog.gone()
  await pause(1_200)
  expect(existsSync(path)).toBe(false)
  expect((await desk.calls())[0]).toMatchObject({ status: 'approved', callerGone: true })
})

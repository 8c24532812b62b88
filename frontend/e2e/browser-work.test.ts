/** What agents do together, with a person at the page: a project, a session, a task, and a question that is answered. */
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { choose } from './harness/choose'
import { setUpFiles } from './harness/fixtures'
import { Agent } from './harness/agent'
import { ask, request } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

/** Calls a tool of coordination and gives what it answers. */
async function answered(agent: Agent, tool: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { text, isError } = await agent.call(tool, input).outcome
  if (isError) throw new Error(`${tool}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

test('a person makes a project, a session and a task; the agent does it over MCP, asks, is answered, and its calls say for which task', async () => {
  const { desk, agentToken } = await setUpFiles()
  const page = await openDeskPage(browser(), desk)
  const go = async (name: string) => {
    await screenLink(page, name).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }

  await go('Work')
  await page.getByText('No projects yet').waitFor()
  await page.getByLabel('Agents may use these tools').check()
  await page.getByText(/^Agents with a session have the tools/).waitFor()
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByLabel('Name of the project').fill('site')
  await choose(page.getByRole('combobox', { name: 'Role of scribe in the project' }), 'worker')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: '1 member' }).waitFor()
  await page.getByRole('button', { name: 'New task' }).click()
  await page.getByLabel('What is to be done').fill('Write the release note')
  await choose(page.getByRole('combobox', { name: 'For whom' }), 'scribe')
  await page.getByRole('button', { name: 'Make the task' }).click()
  const task = page.getByRole('treegrid', { name: 'Tasks' }).getByRole('row', { name: /Write the release note/ })
  await task.getByText('To do').waitFor()

  await go('Servers')
  await page.getByText(/^Part of the desk/).waitFor()
  expect(await page.getByRole('button', { name: 'Edit coordination' }).count()).toBe(0)
  // The table of the desk's own server outlives the edit of another one.
  await page.getByRole('button', { name: 'Edit filesystem' }).click()
  await page.getByLabel('Folder to start in').fill('/tmp')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('form').waitFor({ state: 'detached' })
  const { servers } = (await request(desk.url, desk.token, 'GET', '/v1/servers')).body as { servers: { id: string; toolPermissions: unknown }[] }
  expect(servers.find(({ id }) => id === 'coordination')?.toolPermissions).toMatchObject({ assign_task: 'manager_only' })

  await go('Agents')
  await page.getByRole('button', { name: 'New session' }).click()
  await page.getByRole('combobox', { name: 'Project' }).fill('site')
  await page.getByRole('button', { name: 'Make the session' }).click()
  const card = page.getByRole('region', { name: 'The passkey for scribe' })
  const passkey = (await card.locator('pre').first().textContent()) ?? ''
  expect(passkey).toMatch(/^skp_/)
  await card.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Waits for its agent').waitFor()
  expect(await page.content()).not.toContain('skp_')
  expect(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))).not.toContain('skp_')

  const { agents } = (await request(desk.url, desk.token, 'GET', '/v1/agents')).body as { agents: { id: string }[] }
  const coordination = await new Agent(desk.url, agentToken, 'coordination').connect()
  const refused = await coordination.call('get_my_task', {}).outcome
  expect(refused).toEqual({ isError: true, text: "Tool 'get_my_task' requires authentication. Call 'authenticate' first." })
  const { session_token: session } = await answered(coordination, 'authenticate', { agent_id: agents[0]?.id, passkey, project_id: 'site' })
  await page.getByRole('treegrid', { name: 'Sessions by agent' }).getByText(/^until/).waitFor()

  await go('Work')
  expect(await answered(coordination, 'get_next_action', { timeout_seconds: 10 })).toMatchObject({ action: 'work' })
  await task.getByText('In progress').waitFor()
  const asked = await ask(desk.url, String(session), 'launch')
  await page.getByRole('alertdialog').getByText('worker, task: Write the release note').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('A call waits for you').first().waitFor()
  await asked.cancel()
  await task.getByText('In progress').waitFor()
  await answered(coordination, 'delegate_to_chat_session', { message: 'Which version is it for?' })
  const talks = page.getByRole('treegrid', { name: 'Conversations' })
  await talks.getByText('Answer it').waitFor()
  await talks.getByRole('button', { name: /^Read the conversation/ }).click()
  await talks.getByText('Which version is it for?').waitFor()
  await talks.getByRole('textbox', { name: 'Message' }).fill('For 2.0')
  await talks.getByRole('button', { name: 'Send' }).click()
  await talks.getByText('For 2.0').waitFor()
  const told = await until('the answer', async () => {
    const next = await answered(coordination, 'get_next_action', { timeout_seconds: 5 })
    return JSON.stringify(next).includes('For 2.0') ? next : undefined
  })
  expect(told).toMatchObject({ action: 'work' })
  await answered(coordination, 'report_completed', { result: 'success', summary: 'The note is written.' })
  await task.getByText('Done').waitFor()
  await task.getByText('The note is written.').waitFor()
  await coordination.close()
})

/** What agents do together, with a person at the page: a project, a session, a task, and a question that is answered. */
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { choose } from './harness/choose'
import { openAgent, setUpFiles } from './harness/fixtures'
import { Agent } from './harness/agent'
import { request } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

/** Calls a tool of coordination and gives what it answers. */
async function answered(agent: Agent, tool: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { text, isError } = await agent.call(tool, input).outcome
  if (isError) throw new Error(`${tool}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

test('a person turns coordination on, makes a project, a session and a task; the agent does it over MCP, asks, and is answered', async () => {
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
  await answered(coordination, 'authenticate', { agent_id: agents[0]?.id, passkey, project_id: 'site' })
  await page.getByRole('treegrid', { name: 'Sessions by agent' }).getByText(/^until/).waitFor()

  await go('Work')
  expect(await answered(coordination, 'get_next_action', { timeout_seconds: 10 })).toMatchObject({ action: 'work' })
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

test('the dialog and the activity say what an agent is in its session, and for which task it asks', async () => {
  const { desk, agentToken } = await setUpFiles()
  const { agents } = (await request(desk.url, desk.token, 'GET', '/v1/agents')).body as { agents: { id: string }[] }
  const agentId = agents[0]?.id ?? ''
  const made = async (method: string, path: string, body: unknown) => {
    const answer = await request(desk.url, desk.token, method, path, body)
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  await made('PATCH', '/v1/coordination', { on: true })
  await made('PUT', '/v1/projects/site', { members: { [agentId]: 'worker' } })
  await made('POST', '/v1/projects/site/tasks', { title: 'Write the release note', assigneeId: agentId })
  const { passkey } = await made('POST', '/v1/sessions', { agentId, role: 'worker', purpose: 'task', projectId: 'site' })
  const { sessionToken } = (await request(desk.url, agentToken, 'POST', '/v1/sessions/authenticate', { agentId, passkey, projectId: 'site' })).body
  const coordination = await new Agent(desk.url, String(sessionToken), 'coordination').connect()
  await answered(coordination, 'get_next_action', { timeout_seconds: 10 })
  const files = await openAgent(desk.url, String(sessionToken))
  const page = await openDeskPage(browser(), desk)
  const flight = files.call('write_file', { path: '/tmp/never.txt', content: 'x' })
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('worker, task: Write the release note').waitFor()
  await page.keyboard.press('Escape')
  await screenLink(page, 'Work').click()
  await page.getByText('A call waits for you').first().waitFor()
  await screenLink(page, 'Activity').click()
  await page.getByRole('link', { name: 'worker, task: Write the release note' }).first().click()
  await page.getByRole('row', { name: /Write the release note/ }).and(page.locator('[aria-current=true]')).waitFor()
  flight.abort()
  await flight.outcome.catch(() => undefined)
  await coordination.close()
})

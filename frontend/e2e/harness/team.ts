import { request } from './operator'
import type { Desk } from './desk'

interface Texts {
  project: string
  /** Titles of tasks: one that is to be done, one that is done, one that failed. */
  tasks: readonly [todo: string, done: string, failed: string]
  description: string
  message: string
}

/** Makes a project of all agents with tasks, a conversation with the person, and a session that waits for its agent. */
export async function aTeam({ url, token }: Desk, { project, tasks, description, message }: Texts): Promise<void> {
  const made = async (method: string, path: string, body: unknown) => {
    const answer = await request(url, token, method, path, body)
    if (answer.status > 299) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { agents } = (await request(url, token, 'GET', '/v1/agents')).body as { agents: { id: string }[] }
  const agentId = agents[0]?.id ?? ''
  await made('PUT', `/v1/projects/${project}`, { members: Object.fromEntries(agents.map(({ id }) => [id, 'worker'])) })
  for (const [title, result] of [[tasks[0], null], [tasks[1], 'success'], [tasks[2], 'failed']] as const) {
    const { task } = await made('POST', `/v1/projects/${project}/tasks`, { title, description, assigneeId: agentId })
    if (result) await made('POST', `/v1/projects/${project}/tasks/${(task as { id: string }).id}/close`, { result, summary: description })
  }
  await made('POST', `/v1/projects/${project}/conversations`, { agentId, message })
  await made('POST', '/v1/sessions', { agentId, role: 'worker', purpose: 'task', projectId: project })
}

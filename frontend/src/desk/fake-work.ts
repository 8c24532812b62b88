/** The rows of roles, tasks and conversations of a desk in memory. */
import { DeskError, faultAt } from './desk-error'
import type { FakeState } from './fake-state'
import type * as T from './types'

/** A request as its row sees it: what stands in its path for {}, its query, its body as text and as JSON. */
export interface Request {
  at: string[]
  query: URLSearchParams
  raw: string
  body: unknown
  ifMatch: string
  onlyNew: boolean
}

const now = (desk: FakeState) => new Date(Date.UTC(2026, 0, 1) + desk.rev).toISOString()

export function setRole(desk: FakeState, { at: [id], body }: Request): unknown {
  const { role } = body as { role: string | null }
  desk.agentList = desk.agentList.map((a) => (a.id === id ? { ...a, role } : a))
  desk.hint('agents.changed')
  return { agent: desk.agentList.find((a) => a.id === id) }
}

export function makeSession(desk: FakeState, { body }: Request): unknown {
  const { agentId, role, purpose, projectId } = body as T.NewSession
  if (projectId === '') throw new DeskError({ code: 'invalid', fault: { ...faultAt('projectId'), code: 'id_form' }, message: 'desk' })
  const agentName = desk.agentList.find((a) => a.id === agentId)?.name ?? ''
  const at = now(desk)
  const session: T.Session = {
    id: `session-${String(desk.rev)}`, agentId, agentName, client: null, cwd: null, role, purpose, projectId, state: 'working', pending: 0,
    createdAt: at, lastSeenAt: at, expiresAt: null,
  }
  desk.sessionList = [...desk.sessionList, session]
  desk.hint('agents.changed')
  return { session, passkey: 'skp_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG' }
}

export function endSession(desk: FakeState, { at: [id] }: Request): unknown {
  desk.sessionList = desk.sessionList.map((s) => (s.id === id ? { ...s, state: 'ended' } : s))
  desk.hint('agents.changed')
  return ''
}

export function putProject(desk: FakeState, { at: [id = ''], body, ifMatch, onlyNew }: Request): unknown {
  const { members } = body as { members: Record<string, string> }
  if (id === 'bad name') throw new DeskError({ code: 'invalid', fault: { ...faultAt('projectId'), code: 'id_form' }, message: 'desk' })
  const before = desk.projectList.find((p) => p.id === id)
  const lost = onlyNew ? before !== undefined : ifMatch !== '' && before?.updatedAt !== ifMatch
  if (lost) throw new DeskError({ code: 'lost_update', message: 'the project was changed meanwhile' })
  const project = { id, members, createdAt: now(desk), updatedAt: now(desk) }
  desk.projectList = [...desk.projectList.filter((p) => p.id !== id), project]
  desk.hint('agents.changed')
  return { project }
}

export function turn(desk: FakeState, { body }: Request): unknown {
  desk.coordinationNow = { ...desk.coordinationNow, ...(body as { on: boolean }) }
  desk.hint('servers.changed')
  return desk.coordinationNow
}

export function tasks(desk: FakeState, { at: [project], query }: Request): unknown {
  const session = query.get('sessionId')
  return { tasks: desk.taskList.filter((t) => t.projectId === project && (session === null || t.sessionId === session)) }
}

function putTask(desk: FakeState, task: T.Task): unknown {
  desk.taskList = [...desk.taskList.filter((t) => t.id !== task.id), task]
  desk.hint('tasks.changed')
  return { task }
}

export function makeTask(desk: FakeState, { at: [projectId = ''], body }: Request): unknown {
  const at = now(desk)
  const more = { id: `task-${String(desk.rev)}`, projectId, state: 'todo', result: null, summary: '', sessionId: '', createdBy: null, createdAt: at, updatedAt: at }
  return putTask(desk, { ...more, ...(body as T.NewTask) })
}

function taskOf(desk: FakeState, id: string | undefined): T.Task {
  const task = desk.taskList.find((t) => t.id === id)
  if (!task) throw new DeskError({ code: 'not_found', message: 'no such task' })
  return task
}

export function edit(desk: FakeState, { at: [, id], body, ifMatch }: Request): unknown {
  const task = taskOf(desk, id)
  if (ifMatch !== '' && task.updatedAt !== ifMatch) throw new DeskError({ code: 'lost_update', message: 'the task was changed meanwhile' })
  return putTask(desk, { ...task, ...(body as T.TaskWords), updatedAt: now(desk) })
}

export function assign(desk: FakeState, { at: [, id], body }: Request): unknown {
  return putTask(desk, { ...taskOf(desk, id), ...(body as { assigneeId: string }), state: 'todo', result: null })
}

export function close(desk: FakeState, { at: [, id], body }: Request): unknown {
  const { result, summary } = body as T.TaskEnd
  return putTask(desk, { ...taskOf(desk, id), result, summary, state: result === 'success' ? 'done' : result })
}

function talkOf(desk: FakeState, id: string | undefined): T.Talk {
  const talk = desk.talkList.find(({ conversation }) => conversation.id === id)
  if (!talk) throw new DeskError({ code: 'not_found', message: 'no such conversation' })
  return talk
}

function putTalk(desk: FakeState, talk: T.Talk): T.Talk {
  desk.talkList = [...desk.talkList.filter(({ conversation }) => conversation.id !== talk.conversation.id), talk]
  desk.hint('conversations.changed')
  return talk
}

export function begin(desk: FakeState, { at: [projectId = ''], body }: Request): unknown {
  const { agentId, message } = body as { agentId: string; message: string }
  const at = now(desk)
  const conversation = { id: `talk-${String(desk.rev)}`, projectId, participants: ['person', agentId], state: 'pending', turns: 1, maxTurns: 20, lastFrom: 'person', createdAt: at, updatedAt: at }
  return putTalk(desk, { conversation, messages: [{ id: 'm1', from: 'person', to: agentId, text: message, createdAt: at, deliveredAt: null }] })
}

export function talk(desk: FakeState, { at: [, id] }: Request): unknown {
  return talkOf(desk, id)
}

/** Sent again with the same key, it is the same message. */
export function say(desk: FakeState, { at: [, id], body }: Request): unknown {
  const { message, key } = body as { message: string; key: string }
  const { conversation, messages } = talkOf(desk, id)
  if (conversation.state === 'ended') throw new DeskError({ code: 'not_active', message: 'the conversation has ended' })
  const to = conversation.participants.find((p) => p !== 'person') ?? ''
  const said = { id: key, from: 'person', to, text: message, createdAt: now(desk), deliveredAt: null }
  putTalk(desk, { conversation: { ...conversation, lastFrom: 'person', turns: conversation.turns + 1 }, messages: [...messages.filter((m) => m.id !== key), said] })
  return { message: { ...said, conversationId: id, projectId: conversation.projectId, seq: messages.length } }
}

export function endTalk(desk: FakeState, { at: [, id] }: Request): unknown {
  const { conversation, messages } = talkOf(desk, id)
  return putTalk(desk, { conversation: { ...conversation, state: 'ended' }, messages })
}

export function deleteTalk(desk: FakeState, { at: [, id] }: Request): unknown {
  desk.talkList = desk.talkList.filter(({ conversation }) => conversation.id !== id)
  desk.hint('conversations.changed')
  return ''
}

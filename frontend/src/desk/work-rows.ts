/** The rows of tasks and conversations. They are loaded with the screens that need them, apart from the first load. */
import type { Client } from './client'
import { read } from './read'
import { seen } from './seen'
import type { Conversation, Coordination, NewTask, Talk, Task, TaskEnd, TaskWords } from './types'

export interface WorkDesk {
  /** Whether agents have the server of coordination, or another server stands in its way. */
  coordination(): Promise<Coordination>
  turn(on: boolean): Promise<void>

  /** The tasks of a project, the oldest first. */
  tasks(projectId: string): Promise<Task[]>
  /** The task on which a session works, or did. */
  taskOf(projectId: string, sessionId: string): Promise<Task | null>
  makeTask(projectId: string, task: NewTask): Promise<void>
  /** Writes a task anew. ifMatch is the updatedAt that was seen; another one fails with code lost_update. */
  edit(projectId: string, taskId: string, words: TaskWords, ifMatch: string): Promise<void>
  assign(projectId: string, taskId: string, agentId: string): Promise<void>
  /** Ends a task, whoever works on it. */
  close(projectId: string, taskId: string, end: TaskEnd): Promise<void>

  /** The conversations of a project, the oldest first. */
  conversations(projectId: string): Promise<Conversation[]>
  /** A conversation with its messages; what is to the person counts as delivered by it. */
  conversation(projectId: string, id: string): Promise<Talk>
  /** Sent again with the same key, it is the same message. */
  begin(projectId: string, agentId: string, message: string, key: string): Promise<void>
  say(projectId: string, id: string, message: string, key: string): Promise<void>
  endConversation(projectId: string, id: string): Promise<void>
  /** Deletes one that ended, with its messages. */
  deleteConversation(projectId: string, id: string): Promise<void>
}

export function workOf(rows: Client): WorkDesk {
  const project = (id: string) => `/v1/projects/${encodeURIComponent(id)}`
  const task = (projectId: string, id: string) => `${project(projectId)}/tasks/${encodeURIComponent(id)}`
  const talk = (projectId: string, id: string) => `${project(projectId)}/conversations/${encodeURIComponent(id)}`
  return {
    coordination: async () => read('Coordination', await rows.json('GET', '/v1/coordination')),
    turn: async (on) => {
      await rows.json('PATCH', '/v1/coordination', { on })
    },
    tasks: async (id) => read('TasksOutBody', await rows.json('GET', `${project(id)}/tasks`)).tasks,
    taskOf: async (id, sessionId) => {
      const query = new URLSearchParams({ sessionId })
      return read('TasksOutBody', await rows.json('GET', `${project(id)}/tasks?${String(query)}`)).tasks[0] ?? null
    },
    makeTask: async (id, made) => {
      await rows.json('POST', `${project(id)}/tasks`, made)
    },
    edit: async (id, taskId, words, ifMatch) => {
      await rows.json('PATCH', task(id, taskId), words, seen(ifMatch))
    },
    assign: async (id, taskId, assigneeId) => {
      await rows.json('POST', `${task(id, taskId)}/assign`, { assigneeId })
    },
    close: async (id, taskId, end) => {
      await rows.json('POST', `${task(id, taskId)}/close`, end)
    },
    conversations: async (id) => read('ConversationsOutBody', await rows.json('GET', `${project(id)}/conversations`)).conversations,
    conversation: async (id, of) => read('ConversationOutBody', await rows.json('GET', talk(id, of))),
    begin: async (id, agentId, message, key) => {
      await rows.json('POST', `${project(id)}/conversations`, { agentId, message, key })
    },
    say: async (id, of, message, key) => {
      await rows.json('POST', `${talk(id, of)}/messages`, { message, key })
    },
    endConversation: async (id, of) => {
      await rows.json('POST', `${talk(id, of)}/end`, {})
    },
    deleteConversation: async (id, of) => {
      await rows.json('DELETE', talk(id, of))
    },
  }
}

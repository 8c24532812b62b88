import { useShared } from './queries'
import type { Call, Task } from './types'

/** What an agent is in a session that the desk made. */
export interface Caller {
  role: string
  purpose: string
  projectId: string
  /** null: none, or it is not known yet. */
  task: Task | null
}

/** What the agent of a call is in its session; null where the desk did not make that, or knows nothing of it any more. */
export function useCaller({ agentId, sessionId }: Pick<Call, 'agentId' | 'sessionId'>): Caller | null {
  const sessions = useShared('sessions').data
  const session = sessions?.find((s) => s.id === sessionId && s.agentId === agentId)
  const projectId = session?.projectId ?? null
  const task = useShared('taskOf', projectId !== null && session?.purpose === 'task' ? [projectId, sessionId] : null).data
  if (!session?.role || session.purpose === null || projectId === null) return null
  return { role: session.role, purpose: session.purpose, projectId, task }
}

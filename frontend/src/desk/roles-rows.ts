/** The rows of roles, projects and sessions. They are loaded with the screens that need them, apart from the first load. */
import type { Client } from './client'
import { read } from './read'
import { seen } from './seen'
import type { MadeSession, Members, NewSession, Project, Session } from './types'

export interface RolesDesk {
  /** Makes an agent a coordinator, or none any more. */
  setCoordinator(agentId: string, on: boolean): Promise<void>
  /** Those that are connected, those that the desk made and that are not over, and those of the last day. */
  sessions(): Promise<Session[]>
  /** The passkey is in this answer and nowhere else. */
  makeSession(wanted: NewSession): Promise<MadeSession>
  /** Its token is void, its calls are withdrawn and its grants end. */
  endSession(id: string): Promise<void>
  projects(): Promise<Project[]>
  /**
   * Says who all members of a project are. ifMatch is the updatedAt that was seen, and null makes a new project; where there is
   * another one, or one already, it fails with code lost_update.
   */
  putProject(id: string, members: Members, ifMatch: string | null): Promise<void>
}

export function rolesOf(rows: Client): RolesDesk {
  return {
    setCoordinator: async (agentId, on) => {
      await rows.json('PATCH', `/v1/agents/${encodeURIComponent(agentId)}`, { role: on ? 'coordinator' : null })
    },
    sessions: async () => read('SessionsOutBody', await rows.json('GET', '/v1/sessions')).sessions,
    makeSession: async (wanted) => read('MadeSession', await rows.json('POST', '/v1/sessions', wanted)),
    endSession: async (id) => {
      await rows.json('POST', `/v1/sessions/${encodeURIComponent(id)}/end`, {})
    },
    projects: async () => read('ProjectsOutBody', await rows.json('GET', '/v1/projects')).projects,
    putProject: async (id, members, ifMatch) => {
      await rows.json('PUT', `/v1/projects/${encodeURIComponent(id)}`, { members }, ifMatch === null ? { onlyNew: true } : seen(ifMatch))
    },
  }
}

import type { Server } from '../../desk/types'

/** A workspace while it is being written: folders of programs one a line. */
export interface WorkspaceDraft {
  id: string
  cwd: string
  execution: 'desk' | 'client'
  programFolders: string
  enabled: boolean
}

export const newWorkspaceDraft: WorkspaceDraft = { id: '', cwd: '', execution: 'desk', programFolders: '', enabled: true }

export function workspaceDraft({ id, cwd, execution = 'desk', programFolders = [], enabled }: Server): WorkspaceDraft {
  return { id, cwd, execution, programFolders: programFolders.join('\n'), enabled }
}

/** The workspace of a draft laid over the one it began with. Whose agents see it stays as it is. */
export function workspaceOf({ id, cwd, execution, programFolders, enabled }: WorkspaceDraft, old: Server | null): Server {
  const base: Server = old ?? { id: '', transport: 'workspace', command: '', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: '', tools: [] }
  const folders = execution === 'desk' ? programFolders.split('\n').map((line) => line.trim()) : []
  return { ...base, id: id.trim(), transport: 'workspace', cwd: cwd.trim(), execution, programFolders: folders.filter((folder) => folder !== ''), enabled }
}

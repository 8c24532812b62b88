import type { Server } from '../../desk/types'

/** A stdio server while it is being written: lists as lines of text. */
export interface ServerDraft {
  id: string
  command: string
  args: string
  env: string
  cwd: string
  enabled: boolean
}

export const newServerDraft: ServerDraft = { id: '', command: '', args: '', env: '', cwd: '', enabled: true }

export function serverDraft(server: Server): ServerDraft {
  return {
    id: server.id,
    command: server.command,
    args: server.args.join('\n'),
    env: Object.entries(server.env)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    cwd: server.cwd,
    enabled: server.enabled,
  }
}

/** The server of a draft laid over the one it began with, or the number of the bad line of the environment. */
export function serverOf(draft: ServerDraft, old: Server | null): Server | { badLine: number } {
  const env: Record<string, string> = {}
  for (const [i, line] of draft.env.split('\n').entries()) {
    if (line.trim() === '') continue
    const cut = line.indexOf('=')
    if (cut < 1) return { badLine: i + 1 }
    env[line.slice(0, cut).trim()] = line.slice(cut + 1)
  }
  const base: Server = old ?? { id: '', transport: 'stdio', command: '', args: [], env: {}, cwd: '', enabled: true, state: '', tools: [], rest: {} }
  return { ...base, id: draft.id.trim(), command: draft.command.trim(), args: lines(draft.args), env, cwd: draft.cwd.trim(), enabled: draft.enabled }
}

/** One argument a line; an empty line is no argument. */
function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

/** servers[2].env.KEY is the field env of the third server. */
export function fieldOf(path: string | undefined): string {
  return (path ?? '').replace(/^servers(?:\[\d+\]|\.\d+|\/\d+)?[./]?/, '').split(/[./[]/)[0] ?? ''
}

import type { Server } from '../../desk/types'

/** A server while it is being written: lists as lines of text. What belongs to the other transport stays, and is not sent. */
export interface ServerDraft {
  id: string
  transport: 'stdio' | 'http'
  command: string
  args: string
  env: string
  cwd: string
  url: string
  headers: string
  enabled: boolean
}

export const newServerDraft: ServerDraft = { id: '', transport: 'stdio', command: '', args: '', env: '', cwd: '', url: '', headers: '', enabled: true }

export function serverDraft(server: Server): ServerDraft {
  return {
    ...server,
    args: server.args.join('\n'),
    env: pairsText(server.env, '='),
    headers: pairsText(server.headers, ': '),
  }
}

/** Which line of which field is not as it should be. */
export interface BadLine {
  field: 'env' | 'headers'
  line: number
}

/** The server of a draft laid over the one it began with, or the bad line of it. */
export function serverOf(draft: ServerDraft, old: Server | null): Server | BadLine {
  const base: Server = old ?? { id: '', transport: 'stdio', command: '', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: '', tools: [], rest: {} }
  const { transport, enabled } = draft
  const plain = { ...base, id: draft.id.trim(), transport, enabled, command: '', args: [], env: {}, cwd: '', url: '', headers: {} }
  if (transport === 'http') {
    const headers = pairs(draft.headers, ':')
    return typeof headers === 'number' ? { field: 'headers', line: headers } : { ...plain, url: draft.url.trim(), headers }
  }
  const env = pairs(draft.env, '=')
  return typeof env === 'number' ? { field: 'env', line: env } : { ...plain, command: draft.command.trim(), args: lines(draft.args), env, cwd: draft.cwd.trim() }
}

function pairsText(pairs: Record<string, string>, between: string): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n')
}

/** Names with their values, one a line, or the number of the line that has no name. A header's value has no blanks around it, a variable's may. */
function pairs(text: string, between: '=' | ':'): Record<string, string> | number {
  const found: Record<string, string> = {}
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const cut = line.indexOf(between)
    if (cut < 1) return i + 1
    const value = line.slice(cut + 1)
    found[line.slice(0, cut).trim()] = between === ':' ? value.trim() : value
  }
  return found
}

/** One argument a line; an empty line is no argument. */
function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

/** servers[2].env.KEY is the field env of the third server. */
export function fieldOf(path: string | undefined): string {
  return (path ?? '').replace(/^servers(?:\[\d+\]|\.\d+|\/\d+)?[./]?/, '').split(/[./[]/)[0] ?? ''
}

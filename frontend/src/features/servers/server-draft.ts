import type { Server, ToolTable } from '../../desk/types'

/**
 * A server while it is being written: lists as lines of text. A text that is no line of its own
 * (it has line ends, is empty, or reads as one in quotation marks) stands as a JSON string.
 * What belongs to the other transport stays, and is not sent.
 */
export interface ServerDraft {
  id: string
  transport: Server['transport']
  command: string
  args: string
  env: string
  cwd: string
  url: string
  headers: string
  enabled: boolean
  /** Left out: the server has no table. */
  toolPermissions?: ToolTable
}

export const newServerDraft: ServerDraft = { id: '', transport: 'stdio', command: '', args: '', env: '', cwd: '', url: '', headers: '', enabled: true }

export function serverDraft(server: Server): ServerDraft {
  return {
    ...server,
    args: server.args.map(asLine).join('\n'),
    env: pairsText(server.env, '='),
    headers: pairsText(server.headers, ': '),
  }
}

/** Which line of which field is not as it should be. */
export interface BadLine {
  field: 'env' | 'headers'
  line: number
}

/** The server of a draft laid over the one it began with, or the bad line of it. What was not touched is as it was. */
export function serverOf(draft: ServerDraft, old: Server | null): Server | BadLine {
  const before = old && serverDraft(old)
  const kept = <F extends keyof ServerDraft & keyof Server>(field: F): Server[F] | undefined => (before?.[field] === draft[field] ? old?.[field] : undefined)
  const base: Server = old ?? { id: '', transport: 'stdio', command: '', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: '', tools: [] }
  const { transport, enabled, toolPermissions } = draft
  const table = toolPermissions === undefined ? {} : { toolPermissions }
  const plain = { ...base, ...table, id: draft.id.trim(), transport, enabled, command: '', args: [], env: {}, cwd: '', url: '', headers: {} }
  if (transport === 'http') {
    const headers = kept('headers') ?? pairs(draft.headers, ':')
    return typeof headers === 'number' ? { field: 'headers', line: headers } : { ...plain, url: kept('url') ?? draft.url.trim(), headers }
  }
  const env = kept('env') ?? pairs(draft.env, '=')
  if (typeof env === 'number') return { field: 'env', line: env }
  return { ...plain, command: kept('command') ?? draft.command.trim(), args: kept('args') ?? lines(draft.args), env, cwd: kept('cwd') ?? draft.cwd.trim() }
}

function pairsText(pairs: Record<string, string>, between: string): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}${between}${value === '' ? '' : asLine(value)}`)
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
    found[line.slice(0, cut).trim()] = between === ':' ? fromLine(value.trim()) : fromLine(value)
  }
  return found
}

/** One argument a line; an empty line is no argument. */
function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '').map(fromLine)
}

/** A text as one line: as it is where that reads back as the same, else as a JSON string. */
function asLine(text: string): string {
  return /[\r\n]/.test(text) || text === '' || fromLine(text) !== text ? JSON.stringify(text) : text
}

/** What a line says: a JSON string is what stands in it, all else is taken as it is. */
function fromLine(line: string): string {
  if (!/^".*"$/.test(line)) return line
  try {
    const read: unknown = JSON.parse(line)
    return typeof read === 'string' ? read : line
  } catch {
    return line
  }
}

/** servers[2].env.KEY is the field env of the third server. */
export function fieldOf(path: string | undefined): string {
  return (path ?? '').replace(/^servers(?:\[\d+\]|\.\d+|\/\d+)?[./]?/, '').split(/[./[]/)[0] ?? ''
}

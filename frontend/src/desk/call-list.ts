/**
 * A list of calls as pure functions: ids in the desk's order, newest first, of one
 * unbroken stretch. Pages and single calls come in; a hole never does.
 */
import type { Call } from './types'

/** Which calls are listed: by what became of them, and by a text in their names. */
export interface CallsQuery {
  text: string
  statuses: readonly string[]
}

/** The ids of all calls from the newest to where next goes on; null: to the first call of all. */
export interface Stretch {
  ids: readonly string[]
  next: string | null
}

/** About as many as a page has. Some of the last may have left the list, hardly all of them. */
const lastOnes = 100

/** Whether the newest calls reach down to what is listed, so that nothing is missing between. */
export function reaches(list: Stretch, top: Stretch): boolean {
  const news = new Set(top.ids)
  return list.ids.length === 0 || list.ids.some((id) => news.has(id))
}

/** Whether the newest calls reach down to the end of what is listed. */
export function reachesEnd(list: Stretch, top: Stretch): boolean {
  return reaches({ ...list, ids: list.ids.slice(-lastOnes) }, top)
}

/** Lays the newest calls over a list that they reach. What is not among them was above their last common call, and left the list. */
export function laidOver(list: Stretch, top: Stretch): Stretch {
  const news = new Set(top.ids)
  const common = list.ids.findLastIndex((id) => news.has(id))
  if (top.next === null || common < 0) return top
  return { ids: [...top.ids, ...list.ids.slice(common + 1)], next: list.next }
}

/** Adds the page that next led to, and its ids to those of the list. */
export function extended(list: Stretch, page: Stretch, listed: Set<string>): Stretch {
  const ids = page.ids.filter((id) => !listed.has(id))
  for (const id of ids) listed.add(id)
  return { ids: list.ids.concat(ids), next: page.next }
}

/** Takes a call into its place, or out: an old call came to belong to the list, or ceased to. */
export function placed(list: Stretch, call: Call, belongs: boolean, rowOf: (id: string) => Call | undefined): Stretch {
  const listed = list.ids.includes(call.id)
  if (listed === belongs) return list
  if (listed) return { ...list, ids: list.ids.filter((id) => id !== call.id) }
  const at = list.ids.findIndex((id) => isOlder(rowOf(id), call))
  if (at < 0) return list.next === null ? { ...list, ids: [...list.ids, call.id] } : list // it is further down than the stretch goes
  return { ...list, ids: list.ids.toSpliced(at, 0, call.id) }
}

function isOlder(a: Call | undefined, b: Call): boolean {
  return a !== undefined && (a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt)
}

/** Whether an event about a call, or about some, may change a list. A call comes to be in doubt by call.changed alone. */
export function mayChange({ statuses }: CallsQuery, list: Stretch | null, kind: string, callId?: string): boolean {
  if (!list || kind === 'call.changed' || statuses.some((status) => status !== 'in_doubt') || statuses.length === 0) return true
  return callId === undefined ? list.ids.length > 0 : list.ids.includes(callId)
}

/** Whether a call is one of those that are asked for. The desk takes the letters of ASCII alone as equal in both cases. */
export function belongsTo({ text, statuses }: CallsQuery, call: Call): boolean {
  const names = [call.toolName, call.serverId ?? '', call.agentName, call.agentSubagent ?? '', call.sessionId]
  return (statuses.length === 0 || statuses.includes(call.status)) && names.some((name) => lower(name).includes(lower(text)))
}

function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

import { foldAbove } from '../../../ui/json-view/layout-json'
import { NotJson, scanJson } from '../../../ui/json-view/scan-json'

/** A member of the outermost object. */
export interface Member {
  key: string
  /** The value, where it is a string. */
  text: string | null
}

/** The members of an input; none where it is no object, or so long that nobody reads them one by one. */
export function membersOf(raw: string): Member[] {
  if (raw.length > foldAbove) return []
  const members: Member[] = []
  let key: string | null = null
  let start = -1
  try {
    scanJson(raw, (kind, from, end, depth) => {
      if (depth !== 1) return
      const char = raw[from] ?? ''
      if (kind === 'key') [key, start] = [JSON.parse(raw.slice(from, end)) as string, -1]
      else if (key !== null && char !== ':') {
        if (start < 0) start = from
        if (start === from && (char === '{' || char === '[')) return // its end is the bracket that closes it
        members.push(memberOf(key, raw.slice(start, end)))
        key = null
      }
    })
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return []
  }
  return members
}

function memberOf(key: string, raw: string): Member {
  return { key, text: raw.startsWith('"') ? (JSON.parse(raw) as string) : null }
}

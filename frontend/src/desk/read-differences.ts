import { malformed, object, text } from './read'
import type { Difference } from './types'

const sets = ['rules', 'grants', 'settings', 'servers', 'agents', 'tools', 'journal'] as const

export function difference(v: unknown): Difference {
  const { id, set, key, journal, table } = object(v)
  const known = sets.find((name) => name === set)
  if (known === undefined) throw malformed('a set', set)
  return { id: text(id), set: known, key: text(key), journal: journal === null ? null : object(journal), table: table === null ? null : object(table) }
}

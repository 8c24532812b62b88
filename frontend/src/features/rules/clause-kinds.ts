import type { Clause } from '../../desk/types'

/** What a rule may be narrowed to without a word of CEL. */
export const clauseKinds = ['file', 'folder', 'runsIn', 'programs', 'host', 'agent', 'risk'] as const

export type ClauseKind = (typeof clauseKinds)[number]

/** The members of an input that usually hold what a kind is about, the commonest first; none where it is about no member. */
export const usualMembers: Record<ClauseKind, readonly string[]> = {
  file: ['path', 'file_path', 'filePath', 'file', 'filename', 'notebook_path'],
  folder: ['path', 'file_path', 'filePath', 'directory', 'folder'],
  runsIn: [],
  programs: ['command', 'cmd', 'script'],
  host: ['url', 'uri', 'address'],
  agent: [],
  risk: [],
}

const several = (text: string) => text.split(',').map((one) => one.trim()).filter((one) => one !== '')

/** The clause of a kind about what was written; null while that is nothing. */
export function clauseOf(kind: ClauseKind, key: string, text: string): Clause | null {
  const one = text.trim()
  if (one === '' || (usualMembers[kind].length > 0 && key === '')) return null
  switch (kind) {
    case 'file':
      return { code: 'equals', key, texts: [one] }
    case 'folder':
      return { code: 'under', key, texts: [one] }
    case 'runsIn':
      return { code: 'run_under', key: '', texts: [one] }
    case 'programs':
      return several(text).length > 0 ? { code: 'programs', key, texts: several(text) } : null
    case 'host':
      return several(text).length > 0 ? { code: 'host', key, texts: several(text).map((host) => host.toLowerCase()) } : null
    case 'agent':
      return { code: 'agent', key: '', texts: [one] }
    case 'risk':
      return one === 'low' ? { code: 'risk', key: '', texts: ['low'] } : { code: 'risk_not', key: '', texts: ['high'] }
  }
}

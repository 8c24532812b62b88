import type { CommandLook, CommandPiece, FileLook, LastLook, Look, Summary } from '../desk/types'

/** What a desk says of a call beside its bytes; parts may be replaced. */
export function sampleLook(part: Partial<Look>): Look {
  return { summary: sampleSummary(), file: null, command: null, last: null, flags: [], ...part }
}

export function sampleSummary(part: Partial<Summary> = {}): Summary {
  return { code: 'calls', params: { tool: 'tool', server: 'server' }, programs: [], rest: [], text: 'calls tool of server', ...part }
}

export function sampleFile(part: Partial<FileLook> = {}): FileLook {
  return { path: '/tmp/a.txt', resolved: '/tmp/a.txt', state: 'changed', code: '', reason: '', version: 'v1', size: 10, added: 1, removed: 1, lines: [], more: 0, ...part }
}

export function sampleLine(kind: 'same' | 'added' | 'removed' | 'gap', text: string, part: Partial<FileLook['lines'][number]> = {}): FileLook['lines'][number] {
  return { kind, text, old: kind === 'added' || kind === 'gap' ? 0 : 1, new: kind === 'removed' || kind === 'gap' ? 0 : 1, count: 0, ending: '', ...part }
}

/** Pieces are [kind, text]. */
export function sampleCommand(lines: [CommandPiece['kind'], string][][], part: Partial<CommandLook> = {}): CommandLook {
  const pieces = lines.map((line) => line.map(([kind, text]) => ({ kind, text })))
  return { text: lines.flat().map(([, text]) => text).join(''), parsed: true, error: '', argv: false, lines: pieces, parts: [], programs: [], more: 0, deskPath: false, cwd: '/tmp', ...part }
}

export function sampleLast(part: Partial<LastLook> = {}): LastLook {
  return { callId: 'before', decidedAt: new Date().toISOString(), same: false, cwd: null, changed: [], added: [], removed: [], ...part }
}

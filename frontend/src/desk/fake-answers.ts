/** What a fake desk answers where a test says nothing else. */
import type { ClientFile, FileDifference, Narrower, Preview, Settings } from './types'

export const noSettings: Settings = {
  hold: false,
  deadlines: { low: 300, medium: 300, high: 600 },
  denialMemory: true,
  brake: { calls: 50, seconds: 60 },
  undoSeconds: 0,
  reads: { resources: 'allow', prompts: 'allow' },
  hooks: { unanswered: 'deny' },
  retention: { journalDays: 0, journalMegabytes: 0, inputDays: 0 },
  limits: { pendingPerAgent: 1000, inputMembers: 100_000 },
  patience: {},
  language: '',
  window: { popUp: true, sound: true, quiet: false, startHidden: false, closeToTray: true, autostart: false },
}

/** An edit that allows nothing new. */
export const nothingNew: Narrower = { answer: 'yes', ruleId: null, part: '', example: null }

export const nothingChanged: Preview = { changed: [], changedTotal: 0, declined: 0, total: 0, counts: {}, matched: 0, matchedDeclined: 0, unjudged: 0, narrower: nothingNew }

const nothing: FileDifference = { added: 0, removed: 0, lines: [], more: 0, cut: false }

/** A client's file once it is connected. */
export function connected(file: ClientFile): ClientFile {
  const back = { shown: `${file.id} back`, error: '', why: null, exact: true, gone: false, forced: false, entries: [], others: 0, copies: [], theirs: nothing, difference: file.move?.difference ?? nothing }
  return { ...file, state: 'behind', entries: file.entries.map((e) => (e.state === 'direct' ? { ...e, state: 'behind' } : e)), move: null, back }
}

/** A client's file once it is put back. */
export function disconnected(file: ClientFile): ClientFile {
  const move = { shown: `${file.id} again`, difference: file.back?.difference ?? nothing }
  return { ...file, state: 'direct', entries: file.entries.map((e) => (e.state === 'behind' ? { ...e, state: 'direct' } : e)), move, back: null }
}

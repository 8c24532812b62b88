/** Reads what the desk says of clients' files. An unknown word is taken as the most careful one. */
import { count, list, object, readParams, text } from './read'
import { line } from './read-look'
import type { ClientBack, ClientConnected, ClientDisconnected, ClientEntry, ClientFile, ClientFiles, ClientObstacle, FileDifference } from './types'

export function clientFiles(v: unknown): ClientFiles {
  const all = object(v)
  return { machine: text(all.machine), program: text(all.program), files: list(all.files, file), leftovers: list(all.leftovers ?? [], text) }
}

const states = ['direct', 'partly', 'behind', 'left', 'empty', 'broken'] as const

function file(v: unknown): ClientFile {
  const f = object(v)
  const move = f.move ? object(f.move) : null
  return {
    id: text(f.id),
    name: text(f.name),
    path: text(f.path),
    state: states.find((s) => s === f.state) ?? 'broken',
    error: text(f.error),
    entries: list(f.entries, entry),
    move: move && { shown: text(move.shown), difference: difference(move.difference) },
    back: f.back ? back(f.back) : null,
  }
}

function entry(v: unknown): ClientEntry {
  const e = object(v)
  const state = e.state === 'direct' || e.state === 'behind' ? e.state : 'left'
  return { key: text(e.key), folder: text(e.folder), state, off: e.off === true, reason: text(e.reason), why: obstacle(e.why), serverId: text(e.serverId) }
}

function obstacle(v: unknown): ClientObstacle | null {
  if (!v) return null
  const o = object(v)
  return { code: text(o.code), field: text(o.field), name: text(o.name), value: text(o.value) }
}

function back(v: unknown): ClientBack {
  const b = object(v)
  return {
    shown: text(b.shown),
    error: text(b.error),
    why: obstacle(b.why),
    exact: b.exact === true,
    gone: b.gone === true,
    forced: b.forced !== false,
    entries: list(b.entries, (item) => {
      const e = object(item)
      return { key: text(e.key), outcome: e.outcome === 'back' || e.outcome === 'gone' ? e.outcome : 'conflict', reason: text(e.reason), why: obstacle(e.why) }
    }),
    others: count(b.others),
    copies: list(b.copies, text),
    theirs: difference(b.theirs),
    difference: difference(b.difference),
  }
}

function difference(v: unknown): FileDifference {
  const d = object(v)
  return { added: count(d.added), removed: count(d.removed), lines: list(d.lines, line), more: count(d.more), cut: d.cut === true }
}

export function clientConnected(v: unknown): ClientConnected {
  const done = object(v)
  return { moved: count(done.moved), left: list(done.left, refused) }
}

function refused(v: unknown): ClientConnected['left'][number] {
  const r = object(v)
  return { key: text(r.key), fault: { code: text(r.code), params: readParams(r.params), field: text(r.field) }, reason: text(r.reason) }
}

export function clientDisconnected(v: unknown): ClientDisconnected {
  const done = object(v)
  return { removed: list(done.removed, text), kept: list(done.kept, text) }
}

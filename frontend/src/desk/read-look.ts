/** Reads what the desk knows of a call beside its bytes. An unknown word is taken as the most careful one. */
import { count, list, object, text, textFlags, textOrNull, toolChange } from './read'
import type { CommandLook, CommandPart, CommandPiece, DiffLine, FileLook, LastLook, Look, Summary, TextLook, ToolLook } from './types'

export function look(v: unknown): Look {
  const l = object(v)
  return { summary: l.summary ? summary(l.summary) : null, file: l.file ? file(l.file) : null, command: l.command ? command(l.command) : null, last: l.last ? last(l.last) : null, flags: textFlags(l.flags) }
}

function summary(v: unknown): Summary {
  const s = object(v)
  const params = Object.entries(object(s.params ?? {})).map(([name, value]) => [name, typeof value === 'number' ? value : String(value)] as const)
  return {
    code: text(s.code),
    params: Object.fromEntries(params),
    programs: list(s.programs ?? [], (p) => ({ program: text(object(p).program), effects: list(object(p).effects, text) })),
    rest: list(s.rest ?? [], text),
    text: text(s.text),
  }
}

function part(v: unknown): CommandPart {
  const p = object(v)
  return { name: text(p.name), effects: list(p.effects, text), writes: list(p.writes, text) }
}

const states = ['new', 'changed', 'same', 'binary', 'too_large', 'not_a_file', 'unreadable', 'unclear'] as const

function file(v: unknown): FileLook {
  const f = object(v)
  return {
    path: text(f.path),
    resolved: text(f.resolved),
    state: states.find((s) => s === f.state) ?? 'unclear',
    code: text(f.code),
    reason: text(f.reason),
    version: text(f.version),
    size: count(f.size),
    added: count(f.added),
    removed: count(f.removed),
    lines: list(f.lines, line),
    more: count(f.more),
  }
}

const lineKinds = ['same', 'added', 'removed', 'gap'] as const

export function line(v: unknown): DiffLine {
  const l = object(v)
  return {
    kind: lineKinds.find((k) => k === l.kind) ?? 'added',
    text: text(l.text),
    old: count(l.old),
    new: count(l.new),
    count: count(l.count),
    ending: l.ending === 'crlf' || l.ending === 'none' ? l.ending : '',
  }
}

function command(v: unknown): CommandLook {
  const c = object(v)
  return {
    text: text(c.text),
    parsed: c.parsed === true,
    error: text(c.error),
    argv: c.argv === true,
    lines: list(c.lines, (pieces) => list(pieces, piece)),
    parts: list(c.parts ?? [], part),
    programs: list(c.programs, (p) => ({ word: text(object(p).word), path: textOrNull(object(p).path) })),
    more: count(c.more),
    deskPath: c.deskPath === true,
    cwd: text(c.cwd),
  }
}

const pieceKinds = ['program', 'option', 'path', 'word', 'string', 'redirect', 'operator', 'substitution', 'assignment', 'comment', 'keyword', 'blank'] as const

function piece(v: unknown): CommandPiece {
  const p = object(v)
  return { kind: pieceKinds.find((k) => k === p.kind) ?? 'word', text: text(p.text) }
}

function last(v: unknown): LastLook {
  const l = object(v)
  const before = (one: unknown) => ({ key: text(object(one).key), before: text(object(one).before), cut: object(one).cut === true })
  return { callId: text(l.callId), decidedAt: text(l.decidedAt), same: l.same === true, cwd: textOrNull(l.cwd), changed: list(l.changed, before), added: list(l.added, text), removed: list(l.removed, before) }
}

export function toolLook(v: unknown): ToolLook {
  const l = object(v)
  const shown = object(l.shown)
  return {
    serverId: text(l.serverId),
    toolName: text(l.toolName),
    changed: toolChange(l.changed),
    back: l.back === true,
    definition: l.definition ? textLook(l.definition) : null,
    launch: l.launch ? textLook(l.launch) : null,
    shown: { definition: text(shown.definition), launch: text(shown.launch), back: shown.back === true },
  }
}

function textLook(v: unknown): TextLook {
  const l = object(v)
  return { before: text(l.before), after: text(l.after), cut: l.cut === true, added: count(l.added), removed: count(l.removed), lines: list(l.lines, line), more: count(l.more) }
}

import { count, coverage, effect, list, malformed, object, risk, riskReason, ruleForm, said, text, textOrNull } from './read'
import type { History, HistoryCall, HistoryClient, HistoryEntry, HistoryState } from './types'

export function historyState(v: unknown): HistoryState {
  const s = object(v)
  const { state } = s
  if (state !== 'none' && state !== 'reading' && state !== 'done') throw malformed('none, reading or done', state)
  return { state, files: count(s.files), bytes: count(s.bytes), calls: count(s.calls), result: s.result ? history(s.result) : null }
}

function history(v: unknown): History {
  const h = object(v)
  return {
    calls: count(h.calls),
    asked: count(h.asked),
    high: count(h.high),
    declined: count(h.declined),
    left: count(h.left),
    first: textOrNull(h.first),
    last: textOrNull(h.last),
    different: count(h.different),
    asking: list(h.asking, call),
    rules: list(h.rules, (v) => {
      const r = object(v)
      return { rule: ruleForm(r.rule), covers: coverage(r.covers), calls: count(r.calls), examples: list(r.examples, text) }
    }),
    lists: list(h.lists, entry),
    unread: list(h.unread, (v) => {
      const u = object(v)
      return { kind: text(u.kind), count: count(u.count), first: text(u.first) }
    }),
    full: h.full === true,
  }
}

function call(v: unknown): HistoryCall {
  const c = object(v)
  return {
    client: client(c.client),
    serverId: textOrNull(c.serverId),
    toolName: text(c.toolName),
    cwd: textOrNull(c.cwd),
    line: text(c.line),
    risk: risk(c.risk),
    riskReasons: list(c.riskReasons, riskReason),
    count: count(c.count),
  }
}

function entry(v: unknown): HistoryEntry {
  const e = object(v)
  return {
    client: client(e.client),
    files: list(e.files, text),
    effect: effect(e.effect),
    text: text(e.text),
    calls: count(e.calls),
    rule: e.rule ? ruleForm(e.rule) : null,
    unsafe: list(e.unsafe, (v) => said(object(v), object(v).text)),
  }
}

function client(v: unknown): HistoryClient {
  if (v === 'claude' || v === 'codex' || v === 'gemini' || v === 'opencode') return v
  throw malformed('a client whose history is read', v)
}

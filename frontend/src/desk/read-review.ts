/** Reads what the desk says about rules: previews, findings, verdicts, differences, grants. */
import { count, coverage, effect, list, malformed, object, opaque, partVerdict, readParams, risk, riskReason, rule, ruleForm, ruleRef, said, text, textOrNull, whole } from './read'
import type { Finding, Grant, Known, MadeCall, Matches, Narrower, Offer, Preview, Reach, ReachRule, RuleDiff, Scope, Suggestion, Verdict } from './types'

export function preview(v: unknown): Preview {
  const p = object(v)
  return {
    changed: list(p.changed, changed),
    changedTotal: count(p.changedTotal),
    declined: count(p.declined),
    total: count(p.total),
    counts: Object.fromEntries(Object.entries(object(p.counts ?? {})).map(([step, n]) => [step, whole(n)])),
    matched: count(p.matched),
    matchedDeclined: count(p.matchedDeclined),
    unjudged: count(p.unjudged),
    narrower: narrower(p.narrower),
  }
}

function narrower(v: unknown): Narrower {
  const n = object(v)
  return { answer: known(n.answer), ruleId: textOrNull(n.ruleId), part: text(n.part), example: made(n.example) }
}

function known(v: unknown): Known {
  return v === 'yes' || v === 'no' ? v : 'undecided'
}

function made(v: unknown): MadeCall | null {
  if (v === null || v === undefined) return null
  const e = object(v)
  return {
    serverId: textOrNull(e.serverId),
    method: text(e.method) || 'tools/call',
    toolName: text(e.toolName),
    input: JSON.stringify(e.input ?? {}),
    agentId: text(e.agentId),
    agentName: text(e.agentName),
    sessionId: text(e.sessionId),
    cwd: text(e.cwd),
  }
}

export function reach(v: unknown): Reach {
  const r = object(v)
  return { answer: known(r.answer), rules: list(r.rules, reachRule), total: count(r.total) }
}

function reachRule(v: unknown): ReachRule {
  const r = object(v)
  return {
    ...said(r, r.message),
    ruleId: text(r.ruleId),
    answer: known(r.answer),
    by: textOrNull(r.by),
    example: made(r.example),
  }
}

function changed(v: unknown): Preview['changed'][number] {
  const c = object(v)
  return { callId: text(c.callId), createdAt: text(c.createdAt), serverId: textOrNull(c.serverId), toolName: text(c.toolName), before: effect(c.before), after: effect(c.after), declined: c.declined === true }
}

export function finding(v: unknown): Finding {
  const f = object(v)
  return { ...said(f, f.message), ruleId: text(f.ruleId), kind: text(f.kind), by: textOrNull(f.by) }
}

export function suggestion(v: unknown): Suggestion {
  const s = object(v)
  return { rule: ruleForm(s.rule), answers: count(s.answers), covers: coverage(s.covers), past: matches(s.past) }
}

/** Rules that may be made; what is said of each stands in a list beside them. */
export function offers(v: unknown): Offer[] {
  const { rules, choices } = object(v)
  const about = list(choices, object)
  return list(rules, ruleForm).map((rule, i) => {
    const { covers, past, first } = object(about[i])
    return { rule, covers: coverage(covers), past: matches(past), first: first === true }
  })
}

function matches(v: unknown): Matches {
  const m = object(v)
  return {
    calls: count(m.calls),
    approved: count(m.approved),
    declined: count(m.declined),
    allowed: count(m.allowed),
    other: count(m.other),
    maxRisk: risk(m.maxRisk),
    first: textOrNull(m.first),
  }
}

export function verdict(v: unknown): Verdict {
  const d = object(v)
  return {
    decision: effect(d.decision),
    code: textOrNull(d.code),
    params: readParams(d.params),
    reason: text(d.reason),
    rule: ruleRef(d.rule),
    risk: risk(d.risk),
    riskReasons: list(d.riskReasons, riskReason),
    parts: list(d.parts, partVerdict),
    trace: list(d.trace, (step) => {
      const s = object(step)
      return { ruleId: text(s.ruleId), part: typeof s.part === 'number' ? s.part : null, applies: s.applies === true, why: said(s, s.why) }
    }),
  }
}

export function ruleDiff(v: unknown): RuleDiff {
  const d = object(v)
  return {
    added: list(d.added, rule),
    changed: list(d.changed, (pair) => ({ before: rule(object(pair).before), after: rule(object(pair).after) })),
    removed: list(d.removed, rule),
    same: count(d.same),
    allows: list(d.allows, text),
    narrower: narrower(d.narrower),
    policyVersion: opaque(d.policyVersion) ?? '',
  }
}

export function grant(v: unknown): Grant {
  const g = object(v)
  return {
    id: text(g.id),
    agentId: text(g.agentId),
    agentName: text(g.agentName),
    sessionId: text(g.sessionId),
    scope: scope(g.scope),
    covers: coverage(g.covers),
    approved: g.approved === true,
    reason: text(g.reason),
    callId: text(g.callId),
    createdAt: text(g.createdAt),
    expiresAt: textOrNull(g.expiresAt),
    hits: count(g.hits),
  }
}

function scope(v: unknown): Scope {
  if (v === 'once' || v === 'class' || v === 'session') return v
  throw malformed('once, class or session', v)
}

/**
 * Reads answers of the desk into our own types, so that a missing or odd field
 * fails here and not in a screen. The `input` of a call is dropped: parsed JSON
 * must never be shown.
 */
import { DeskError } from './desk-error'
import type { Agent, Call, CallClass, ClassPart, Coverage, Decision, DeclinedTool, Effect, FlaggedTool, Limit, Params, PartVerdict, Risk, RiskReason, Rule, RuleExample, RuleForm, Said, SecretsNotice, Server, SignIn, SignInClient, TextFlag, ToolChange, ToolLevel } from './types'

export type Json = Record<string, unknown>

export function object(v: unknown): Json {
  if (typeof v !== 'object' || v === null || Array.isArray(v)) throw malformed('an object', v)
  return v as Json
}

export function list<T>(v: unknown, read: (item: unknown) => T): T[] {
  if (v === null || v === undefined) return []
  if (!Array.isArray(v)) throw malformed('a list', v)
  return v.map((item) => read(item))
}

export function text(v: unknown): string {
  if (v === null || v === undefined) return ''
  if (typeof v !== 'string') throw malformed('a text', v)
  return v
}

export function textOrNull(v: unknown): string | null {
  return v === null || v === undefined ? null : text(v)
}

export function whole(v: unknown): number {
  if (typeof v !== 'number') throw malformed('a number', v)
  return v
}

/** A number that may be left out where it is 0. */
export function count(v: unknown): number {
  return typeof v === 'number' ? v : 0
}

export function malformed(wanted: string, got: unknown): DeskError {
  return new DeskError({ code: 'malformed_answer', message: `the desk answered ${typeof got} instead of ${wanted}` })
}

export function call(v: unknown): Call {
  const c = object(v)
  return {
    id: text(c.id),
    rev: whole(c.rev),
    shownRev: whole(c.shownRev),
    runId: text(c.runId),
    toolCallId: text(c.toolCallId),
    sessionId: text(c.sessionId),
    agentId: text(c.agentId),
    agentName: text(c.agentName),
    serverId: textOrNull(c.serverId),
    method: textOrNull(c.method) ?? 'tools/call',
    toolName: text(c.toolName),
    inputHash: text(c.inputHash),
    envelopeHash: c.envelopeHash ? text(c.envelopeHash) : null,
    original: c.original ? { inputHash: text(object(c.original).inputHash) } : null,
    inputWiped: c.inputWiped === true,
    description: text(c.description),
    cwd: textOrNull(c.cwd),
    status: text(c.status),
    why: why(c.why),
    decision: c.decision ? decision(c.decision) : null,
    risk: risk(c.risk),
    riskReasons: list(c.riskReasons, riskReason),
    callerGone: c.callerGone === true,
    createdAt: text(c.createdAt),
    expiresAt: textOrNull(c.expiresAt),
    patienceUntil: textOrNull(c.patienceUntil),
    class: c.class ? callClass(c.class) : null,
    onlyOnce: text(c.onlyOnce),
    covers: c.covers ? covers(c.covers) : null,
    resumeSchema: c.resumeSchema ?? null,
    resumeData: c.resumeData ?? null,
  }
}

export function riskReason(v: unknown): RiskReason {
  const r = object(v)
  const at = r.at ? object(r.at) : null
  return { ...said(r, r.text), at: at && { pointer: text(at.pointer), start: count(at.start), end: count(at.end) } }
}

/** A code of the desk with its params, and the same in English. */
export function said({ code, params }: Json, english: unknown): Said {
  return { code: textOrNull(code), params: readParams(params), text: text(english) }
}

export function readParams(v: unknown): Params {
  return Object.fromEntries(Object.entries(object(v ?? {})).map(([name, value]) => [name, typeof value === 'number' ? value : String(value)]))
}

export function declinedTool(v: unknown): DeclinedTool {
  const { agentId, sessionId, serverId, method, toolName, count: times } = object(v)
  return { agentId: text(agentId), sessionId: text(sessionId), serverId: textOrNull(serverId), method: text(method), toolName: text(toolName), count: whole(times) }
}

function callClass(v: unknown): CallClass {
  const c = object(v)
  return {
    serverId: textOrNull(c.serverId),
    method: text(c.method),
    toolName: text(c.toolName),
    folder: text(c.folder),
    parts: c.parts ? list(c.parts, classPart) : null,
  }
}

function classPart(v: unknown): ClassPart {
  const { name, chosen, writes, folder, risk: level } = object(v)
  return { name: text(name), chosen: list(chosen, text), writes: list(writes, text), folder: text(folder), risk: level ? risk(level) : null }
}

function covers(v: unknown): Call['covers'] {
  const { class: kind, session } = object(v)
  return { class: kind ? coverage(kind) : null, session: session ? coverage(session) : null }
}

export function coverage(v: unknown): Coverage {
  const { code, params, text: english } = object(v)
  const { serverId, toolName, folder, parts, path, hosts, maxRisk } = object(params)
  return {
    code: text(code),
    serverId: textOrNull(serverId),
    toolName: text(toolName),
    folder: text(folder),
    parts: list(parts, classPart),
    path: text(path),
    hosts: list(hosts, text),
    maxRisk: risk(maxRisk),
    text: text(english),
  }
}

function why(v: unknown): Call['why'] {
  const w = object(v ?? {})
  const parts = list(w.parts, partVerdict)
  const changed = toolChange(w.changed)
  const notChecked = list(w.notChecked, text)
  return { rule: ruleRef(w.rule), code: textOrNull(w.code), params: readParams(w.params), reason: text(w.reason), ...(changed && { changed }), ...(w.withheld === true && { withheld: true }), ...(notChecked.length > 0 && { notChecked }), ...(parts.length > 0 && { parts }) }
}

export function ruleRef(v: unknown): PartVerdict['rule'] {
  const r = v ? object(v) : null
  return r && { id: text(r.id), priority: whole(r.priority) }
}

export function partVerdict(v: unknown): PartVerdict {
  const p = object(v)
  return { name: text(p.name), decision: effect(p.decision), rule: ruleRef(p.rule) }
}

/** An unknown word is taken as the widest change. */
export function toolChange(v: unknown): ToolChange | null {
  const word = text(v)
  if (word === 'definition' || word === 'launch' || word === 'unknown') return word
  return word === '' ? null : 'both'
}

function decision(v: unknown): Decision {
  const d = object(v)
  return {
    by: text(d.by),
    approved: d.approved === true,
    code: textOrNull(d.code),
    params: readParams(d.params),
    reason: text(d.reason),
    scope: text(d.scope),
    ruleId: textOrNull(d.ruleId),
    grantId: textOrNull(d.grantId),
    decidedAt: text(d.decidedAt),
    remembered: textOrNull(d.remembered),
    count: count(d.count),
  }
}

/** What nothing is known about is medium; an unknown word is taken as high. */
export function risk(v: unknown): Risk {
  if (v === 'low' || v === 'medium') return v
  return v === undefined || v === '' ? 'medium' : 'high'
}

export function rule(v: unknown): Rule {
  const r = object(v)
  return {
    id: text(r.id),
    serverId: textOrNull(r.serverId),
    method: textOrNull(r.method),
    toolName: textOrNull(r.toolName),
    toolPattern: textOrNull(r.toolPattern),
    effect: effect(r.effect),
    priority: whole(r.priority),
    enabled: r.enabled !== false,
    note: text(r.note),
    condition: textOrNull(r.condition),
    expiresAt: textOrNull(r.expiresAt),
    limit: limit(r.limit),
    examples: list(r.examples, example),
    createdAt: text(r.createdAt),
    updatedAt: text(r.updatedAt),
    hits: count(r.hits),
    lastHitAt: textOrNull(r.lastHitAt),
  }
}

export function limit(v: unknown): Limit | null {
  const l = v ? object(v) : null
  return l && { calls: count(l.calls), seconds: count(l.seconds) }
}

/** The part of a rule that a person writes. */
export function ruleForm(v: unknown): RuleForm {
  const { serverId, method, toolName, toolPattern, effect: said, priority, enabled, note, condition } = object(v)
  return {
    serverId: textOrNull(serverId),
    method: textOrNull(method),
    toolName: textOrNull(toolName),
    toolPattern: textOrNull(toolPattern),
    effect: effect(said),
    priority: whole(priority),
    enabled: enabled !== false,
    note: text(note),
    condition: textOrNull(condition),
  }
}

function example(v: unknown): RuleExample {
  const e = object(v)
  return { serverId: textOrNull(e.serverId), toolName: text(e.toolName), hasInput: e.input !== undefined, decision: effect(e.decision) }
}

export function effect(v: unknown): Effect {
  if (v === 'allow' || v === 'ask' || v === 'deny') return v
  throw malformed('allow, ask or deny', v)
}

export function ruleSaved(v: unknown): { rule: Rule; pendingMatches: number } {
  const saved = object(v)
  return { rule: rule(saved.rule), pendingMatches: count(saved.pendingMatches) }
}

export function server(v: unknown): Server {
  const { id, transport, command, args, env, cwd, url, headers, enabled, state, trouble, signIn: signed, tools, changedTools, toolLevels, flaggedTools: flagged, endsChildren, revision, ...rest } = object(v)
  return {
    id: text(id),
    transport: transport === 'http' ? 'http' : 'stdio',
    command: text(command),
    args: list(args, text),
    env: texts(env),
    cwd: text(cwd),
    url: text(url ?? ''),
    headers: texts(headers),
    enabled: enabled !== false,
    state: text(state),
    trouble: text(trouble ?? ''),
    signIn: signIn(signed),
    tools: list(tools, toolName),
    changedTools: list(changedTools, text),
    toolLevels: list(toolLevels ?? [], toolLevel),
    flaggedTools: flaggedTools(flagged),
    endsChildren: typeof endsChildren === 'boolean' ? endsChildren : null,
    revision: text(revision ?? ''),
    rest,
  }
}

function toolLevel(v: unknown): ToolLevel {
  const l = object(v)
  return { toolName: text(l.toolName), risk: risk(l.risk), at: text(l.at), void: l.void === true }
}

const signInStates = ['none', 'waiting', 'signedIn', 'failed', 'expired'] as const

/** A URL that is none of the web is left out: it is opened. */
export function signIn(v: unknown): SignIn {
  const { state, issuer, url, error, wants, client } = object(v ?? {})
  const at = text(url ?? '')
  return {
    state: signInStates.find((s) => s === state) ?? 'none',
    issuer: text(issuer ?? ''),
    url: /^https?:\/\//.test(at) ? at : '',
    error: text(error ?? ''),
    wants: list(wants ?? [], text),
    client: client ? signInClient(client) : null,
  }
}

function signInClient(v: unknown): SignInClient {
  const { id, secret, scopes, callbackPort } = object(v)
  return { id: text(id), secret: text(secret ?? ''), scopes: list(scopes ?? [], text), callbackPort: count(callbackPort ?? 0) }
}

export function secretsNotice(v: unknown): SecretsNotice {
  const { where, trouble } = object(v ?? {})
  return { where: text(where ?? ''), trouble: text(trouble ?? '') }
}

function texts(v: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(object(v ?? {})).map(([name, value]) => [name, text(value)]))
}

function toolName(v: unknown): string {
  return typeof v === 'string' ? v : text(object(v).name)
}

/** A server as the desk takes it back: without what only the desk knows. */
export function serverOut({ rest, id, transport, command, args, env, cwd, url, headers, enabled }: Server): Json {
  return { ...rest, id, transport, command, args, env, cwd, url, headers, enabled }
}

export function agent(v: unknown): Agent {
  const a = object(v)
  return { id: text(a.id), name: text(a.name), createdAt: text(a.createdAt) }
}

/** A cursor or version, which the desk may write as a number. */
export function opaque(v: unknown): string | null {
  if (v === null || v === undefined || v === '' || v === 0) return null
  return String(v)
}

const flagKinds = ['tags', 'direction', 'hidden', 'lookAlike'] as const

/** Deceiving characters; a kind that is not known counts as hidden. */
export function textFlags(v: unknown): TextFlag[] {
  return list(v, (one) => {
    const f = object(one)
    return { at: text(f.at), kind: flagKinds.find((k) => k === f.kind) ?? 'hidden', count: count(f.count), characters: list(f.characters, text), looksLike: text(f.looksLike) }
  })
}

export function flaggedTools(v: unknown): FlaggedTool[] {
  return list(v, (one) => {
    const f = object(one)
    return { toolName: text(f.toolName), flags: textFlags(f.flags) }
  })
}

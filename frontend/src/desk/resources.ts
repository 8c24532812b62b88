/** The table of what is loaded of the desk, each under a key of its name, and of the events after which it is loaded again. */
import type { Desk } from './desk'
import { DeskError } from './desk-error'
import type { ImportMode, InsightsQuery, OfferedFor, Query, ReachQuery, Rule, RuleChange, ToolLook } from './types'

const loads = {
  agents: (desk: Desk) => desk.agents(),
  apps: (desk: Desk, hooks: boolean) => desk.clients({ hooks, carry: [], limits: false }),
  arming: async (desk: Desk) => (await desk.insights()).arming(),
  asked,
  away: async (desk: Desk) => (await desk.insights()).present(),
  conversation: async (desk: Desk, project: string, id: string) => (await desk.work()).conversation(project, id),
  conversations: async (desk: Desk, project: string) => (await desk.work()).conversations(project),
  coordination: async (desk: Desk) => (await desk.work()).coordination(),
  differences: (desk: Desk) => desk.differences(),
  evaluate: (desk: Desk, query: Query) => desk.evaluate(query),
  findings: (desk: Desk) => desk.lint(),
  firstSteps,
  grants,
  history: (desk: Desk) => desk.history(),
  info: (desk: Desk) => desk.info(),
  input,
  insights: async (desk: Desk, query: InsightsQuery) => (await desk.insights()).count(query),
  lint: (desk: Desk, change: RuleChange) => desk.lint(change),
  looks,
  paused: async (desk: Desk) => (await desk.insights()).paused(),
  preview: (desk: Desk, change: RuleChange) => desk.preview(change),
  projects: async (desk: Desk) => (await desk.roles()).projects(),
  reach: (desk: Desk, query: ReachQuery) => desk.reach(query),
  renewed: (desk: Desk) => desk.renewed(),
  ruleDiff: (desk: Desk, document: string, mode: ImportMode) => desk.diffRules(document, mode),
  rules: (desk: Desk) => desk.rules(),
  secrets: (desk: Desk) => desk.secrets(),
  servers: (desk: Desk) => desk.servers(),
  sessions: async (desk: Desk) => (await desk.roles()).sessions(),
  settings: (desk: Desk) => desk.settings(),
  suggestions: (desk: Desk) => desk.suggestions(),
  taskOf: async (desk: Desk, project: string, session: string) => (await desk.work()).taskOf(project, session).catch(nullIfNotFound),
  tasks: async (desk: Desk, project: string) => (await desk.work()).tasks(project),
  tool: (desk: Desk, server: string, name: string) => desk.tool(server, name),
  trouble: (desk: Desk) => desk.trouble(),
  wordings: (desk: Desk, conditions: readonly string[]) => desk.wordings(conditions),
  widen: (desk: Desk, of: OfferedFor) => desk.widen(of),
}

export type Resource = keyof typeof loads

/** What a resource is loaded for; nothing for most. */
export type Params<N extends Resource> = (typeof loads)[N] extends (desk: Desk, ...params: infer P) => unknown ? P : never

export type Result<N extends Resource> = Awaited<ReturnType<(typeof loads)[N]>>

/** The key of a resource. Another version of what it is loaded for makes another key. */
export type Key<N extends Resource> = readonly [name: N, params: Params<N>, version: string | number]

/** Null loads nothing. Left out is for a resource that is loaded for nothing. */
export type KeyArguments<N extends Resource> = Params<N> extends []
  ? [params?: Params<N> | null, version?: string | number]
  : [params: Params<N> | null, version?: string | number]

export function keyOf<N extends Resource>(name: N, [params, version = '']: KeyArguments<N>): Key<N> | null {
  return params === null ? null : [name, params ?? ([] as unknown as Params<N>), version]
}

export function load<N extends Resource>(desk: Desk, [name, params]: Key<N>): Promise<Result<N>> {
  return (loads[name] as unknown as (desk: Desk, ...params: Params<N>) => Promise<Result<N>>)(desk, ...params)
}

/** The resources that may be others after an event, by the beginning of its kind. */
const changedBy: Record<string, readonly Resource[]> = {
  'agents.': ['agents', 'apps', 'differences', 'projects', 'sessions', 'tasks'],
  'call.': ['firstSteps', 'insights'],
  'call.created': ['apps', 'sessions', 'tasks'],
  'call.decided': ['grants', 'rules', 'sessions', 'suggestions', 'tasks'],
  'conversations.': ['conversation', 'conversations'],
  'grants.': ['differences', 'grants'],
  'desk.': ['trouble'],
  'rules.': ['differences', 'findings', 'firstSteps', 'grants', 'rules', 'suggestions', 'trouble'],
  'server.': ['servers'],
  'servers.': ['apps', 'coordination', 'differences', 'secrets', 'servers', 'tool'],
  'session.': ['grants', 'sessions'],
  'settings.': ['differences', 'grants', 'paused', 'settings', 'trouble'],
  'state.': ['differences', 'trouble'],
  'tasks.': ['taskOf', 'tasks'],
}

/** Those that change without an event: apps write their files, rows are found damaged, sessions run out. They are looked at when the page is. */
export const untold: readonly Resource[] = ['apps', 'sessions', 'trouble']

/** Long lists of which a call changes a word: whether one waits. */
export const patient: readonly Resource[] = ['sessions', 'tasks']

/** All that is asked for again by itself. What is asked of something that is written, or of one call, is not. */
export const changing: readonly Resource[] = [...new Set([...Object.values(changedBy).flat(), 'info', 'renewed'] as const)]

/** What may be another after an event. One without a point in its kind tells that events were lost. */
export function changedAfter(kind: string): readonly Resource[] {
  if (!kind.includes('.')) return changing
  return Object.entries(changedBy).flatMap(([beginning, names]) => (kind.startsWith(beginning) ? names : []))
}

/** A call, and what is left of what it asked. */
async function asked(desk: Desk, callId: string) {
  const call = await desk.call(callId)
  return { call, ...(call.inputWiped ? { raw: '', envelope: null } : await input(desk, callId, call.envelopeHash !== null)) }
}

/** The desk's own agent, which asks for demonstrations: it is nobody's. */
const demoAgent = 'sekisho-demo'

/**
 * How far a new desk has come. Demonstrations count for nothing, nor do checks of apps by the desk itself. answered is the
 * first of few calls that a person answered.
 */
async function firstSteps(desk: Desk) {
  const [{ rules }, { calls, next }] = await Promise.all([desk.rules(), desk.calls({ cursor: null })])
  const real = calls.filter(({ agentName, decision }) => agentName !== demoAgent && decision?.code !== 'canary')
  return {
    rules: rules.length > 0,
    calls: real.length === 0 ? 'none' : next === null ? 'few' : 'many',
    answered: real.findLast(({ decision }) => decision?.by === 'person') ?? null,
  } as const
}

/** All that allows without asking now: remembered answers, rules, and whether everything is held; and when the first of it ends. */
async function grants(desk: Desk) {
  const [grants, { rules }, { hold }] = await Promise.all([desk.grants(), desk.rules(), desk.settings()])
  const now = Date.now()
  const ends = [...grants, ...rules].map(({ expiresAt }) => Date.parse(expiresAt ?? '')).filter((end) => end > now)
  const allows = ({ enabled, effect, expiresAt }: Rule) =>
    enabled && effect === 'allow' && (expiresAt === null || Date.parse(expiresAt) > now)
  return { grants, allowing: rules.filter(allows).length, hold, nextEnd: ends.length === 0 ? null : Math.min(...ends) }
}

/** The raw input of a call, and its envelope where it has one: a call of which a part is missing is not shown. */
async function input(desk: Desk, callId: string, enveloped: boolean) {
  const [raw, envelope] = await Promise.all([desk.input(callId), enveloped ? desk.envelope(callId) : null])
  return { raw, envelope }
}

const looksAtOnce = 6

/** What changed of several tools of a server, in their order; without those that did not change, or are not known any more. */
async function looks(desk: Desk, server: string, names: readonly string[]): Promise<ToolLook[]> {
  const found: (ToolLook | null)[] = []
  for (let from = 0; from < names.length; from += looksAtOnce) {
    const some = names.slice(from, from + looksAtOnce)
    found.push(...(await Promise.all(some.map((name) => desk.tool(server, name).catch(nullIfNotFound)))))
  }
  return found.filter((look): look is ToolLook => look !== null && look.changed !== '')
}

function nullIfNotFound(thrown: unknown): null {
  if (DeskError.from(thrown).code === 'not_found') return null
  throw thrown
}

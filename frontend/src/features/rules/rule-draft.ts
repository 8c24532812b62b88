import type { Effect, Limit, Rule, RuleForm } from '../../desk/types'
import { limitUnits, unitOf, type LimitUnit } from '../../i18n/use-limit-words'
import { instantOf, localTime } from '../../ui/local-time'

/** A rule while it is being written: every field as text, as in the form. */
export interface RuleDraft {
  serverId: string
  /** '' names none. */
  method: string
  toolName: string
  toolPattern: string
  priority: string
  effect: Effect
  note: string
  enabled: boolean
  condition: string
  /** In the person's own time, as yyyy-mm-dd hh:mm[:ss]; empty is for ever. */
  expiresAt: string
  /** Of a rule that allows: how many calls, and in what time; no calls is no limit. */
  limitCalls: string
  limitTime: string
  limitUnit: LimitUnit
}

/** A new rule: priority 0, and no automatic approval. */
export const newDraft: RuleDraft = { serverId: '', method: '', toolName: '', toolPattern: '', priority: '0', effect: 'ask', note: '', enabled: true, condition: '', expiresAt: '', limitCalls: '', limitTime: '1', limitUnit: 'hours' }

export function draftOf(rule: RuleForm): RuleDraft {
  return {
    serverId: rule.serverId ?? '',
    method: rule.method ?? '',
    toolName: rule.toolName ?? '',
    toolPattern: rule.toolPattern ?? '',
    priority: String(rule.priority),
    effect: rule.effect,
    note: rule.note,
    enabled: rule.enabled,
    condition: rule.condition ?? '',
    expiresAt: localTime(rule.expiresAt ?? null),
    ...limitDraft(rule.limit ?? null),
  }
}

/** The field of a draft that is no form, by its name. */
export type BadField = 'priority' | 'expiresAt' | 'limit'

/**
 * The form of a draft, or the field that is wrong. Names stay as they were
 * typed; empty is "any". A time that was not touched stays to the millisecond
 * as the rule that was seen has it.
 */
export function formOf(draft: RuleDraft, seen: Rule | null): RuleForm | BadField {
  if (!/^\s*[+-]?\d{1,15}\s*$/.test(draft.priority)) return 'priority'
  const expiresAt = seen && draft.expiresAt === localTime(seen.expiresAt) ? seen.expiresAt : instantOf(draft.expiresAt)
  if (expiresAt === undefined) return 'expiresAt'
  const limit = limitOf(draft)
  if (limit === undefined) return 'limit'
  return {
    serverId: draft.serverId || null,
    method: draft.method || null,
    toolName: draft.toolName || null,
    toolPattern: draft.toolPattern || null,
    priority: Number(draft.priority),
    effect: draft.effect,
    note: draft.note,
    enabled: draft.enabled,
    condition: draft.condition.trim() === '' ? null : draft.condition,
    expiresAt,
    limit,
  }
}

/**
 * What a form says otherwise than the rule as it was seen. The rest of the rule,
 * and what the form does not know of, is not sent: it stays as it is.
 */
export function changesOf(form: RuleForm, seen: Rule): Partial<RuleForm> {
  const { limit, ...rest } = form
  const other = limit !== undefined && (limit?.calls !== seen.limit?.calls || limit?.seconds !== seen.limit?.seconds)
  return { ...Object.fromEntries(Object.entries(rest).filter(([field, value]) => seen[field as keyof Rule] !== value)), ...(other && { limit }) }
}

/** A draft over a rule that someone else changed meanwhile: what was not touched shows theirs. */
export function rebased(draft: RuleDraft, from: Rule, onto: Rule): RuleDraft {
  const [was, is] = [draftOf(from), draftOf(onto)]
  return Object.fromEntries(Object.entries(draft).map(([field, value]) => {
    const name = field as keyof RuleDraft
    return [field, value === was[name] ? is[name] : value]
  })) as unknown as RuleDraft
}

function limitDraft(limit: Limit | null): Pick<RuleDraft, 'limitCalls' | 'limitTime' | 'limitUnit'> {
  if (limit === null) return { limitCalls: '', limitTime: '1', limitUnit: 'hours' }
  const limitUnit = unitOf(limit.seconds)
  return { limitCalls: String(limit.calls), limitTime: String(limit.seconds / limitUnits[limitUnit]), limitUnit }
}

/** The limit of a draft; only a rule that allows has one. Undefined is none that the desk takes. */
function limitOf({ effect, limitCalls, limitTime, limitUnit }: RuleDraft): Limit | null | undefined {
  if (effect !== 'allow' || limitCalls.trim() === '') return null
  const [calls, seconds] = [whole(limitCalls), whole(limitTime) * limitUnits[limitUnit]]
  return calls >= 1 && calls <= 1_000_000 && seconds >= 1 && seconds <= 30 * 24 * 3600 ? { calls, seconds } : undefined
}

function whole(text: string): number {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : NaN
}

/** Whether a rule has run out. now is in milliseconds. */
export function isExpired(rule: Pick<RuleForm, 'expiresAt'>, now: number): boolean {
  return Date.parse(rule.expiresAt ?? '') <= now
}

/** It is about something else than tool calls. */
export function isReading(rule: Pick<RuleForm, 'method'>): boolean {
  return (rule.method ?? 'tools/call') !== 'tools/call'
}

/** The word for everything that a rule without a name is about. */
export function anyWord(rule: Pick<RuleForm, 'method' | 'effect'>): 'rules.anyTool' | 'rules.anyResource' | 'rules.anyPrompt' | 'rules.anything' {
  if (rule.method === 'prompts/get') return 'rules.anyPrompt'
  if (isReading(rule)) return 'rules.anyResource'
  return rule.effect === 'deny' && (rule.method ?? null) === null ? 'rules.anything' : 'rules.anyTool'
}

/** Allows every tool of every server: the desk would never ask. */
export function allowsEverything(rule: RuleForm): boolean {
  return rule.effect === 'allow' && !isReading(rule) && rule.serverId === null && (rule.condition ?? null) === null && rule.toolName === null && (rule.toolPattern === null || /^\*+$/.test(rule.toolPattern))
}

/** What a rule is about, in a few words that tell it from others. */
export function ruleName(rule: Pick<RuleForm, 'serverId' | 'toolName' | 'toolPattern'>, anyServer: string, anyTool: string): string {
  return `${rule.serverId ?? anyServer} · ${rule.toolName ?? rule.toolPattern ?? anyTool}`
}

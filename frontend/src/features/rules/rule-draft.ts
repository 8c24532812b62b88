import type { Effect, Rule, RuleForm } from '../../desk/types'

/** A rule while it is being written: every field as text, as in the form. */
export interface RuleDraft {
  serverId: string
  toolName: string
  toolPattern: string
  priority: string
  effect: Effect
  note: string
  enabled: boolean
}

/** A new rule: priority 0, and no automatic approval. */
export const newDraft: RuleDraft = { serverId: '', toolName: '', toolPattern: '', priority: '0', effect: 'ask', note: '', enabled: true }

export function draftOf(rule: Rule): RuleDraft {
  return {
    serverId: rule.serverId ?? '',
    toolName: rule.toolName ?? '',
    toolPattern: rule.toolPattern ?? '',
    priority: String(rule.priority),
    effect: rule.effect,
    note: rule.note,
    enabled: rule.enabled,
  }
}

/** The form of a draft, or null when the priority is no whole number. Names stay as they were typed; empty is "any". */
export function formOf(draft: RuleDraft): RuleForm | null {
  if (!/^\s*[+-]?\d{1,15}\s*$/.test(draft.priority)) return null
  return {
    serverId: draft.serverId || null,
    toolName: draft.toolName || null,
    toolPattern: draft.toolPattern || null,
    priority: Number(draft.priority),
    effect: draft.effect,
    note: draft.note,
    enabled: draft.enabled,
  }
}

/**
 * What a form says otherwise than the rule as it was seen. The rest of the rule,
 * and what the form does not know of, is not sent: it stays as it is.
 */
export function changesOf(form: RuleForm, seen: Rule): Partial<RuleForm> {
  return Object.fromEntries(Object.entries(form).filter(([field, value]) => seen[field as keyof RuleForm] !== value))
}

/** Whether a rule has run out. now is in milliseconds. */
export function isExpired(rule: Rule, now: number): boolean {
  return rule.expiresAt !== null && Date.parse(rule.expiresAt) <= now
}

/** Allows every tool of every server: the desk would never ask. */
export function allowsEverything(rule: Pick<Rule, 'effect' | 'serverId' | 'toolName' | 'toolPattern'>): boolean {
  return rule.effect === 'allow' && rule.serverId === null && rule.toolName === null && (rule.toolPattern === null || /^\*+$/.test(rule.toolPattern))
}

/** What a rule is about, in a few words that tell it from others. */
export function ruleName(rule: Rule, anyServer: string, anyTool: string): string {
  return `${rule.serverId ?? anyServer} · ${rule.toolName ?? rule.toolPattern ?? anyTool}`
}

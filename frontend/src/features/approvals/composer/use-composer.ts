import { useState, type ComponentType } from 'react'
import { DeskError } from '../../../desk/desk-error'
import { useLive } from '../../../desk/live'
import type { Offer, PendingCall, Preview, RuleForm } from '../../../desk/types'
import { LateComponent, useLate } from '../../../ui/late-component'

export interface ChoiceProps {
  composer: Composer
  candidates: readonly Offer[]
  /** An answer is on its way, or can be undone: what is shown is what is saved. */
  frozen: boolean
}

/** It comes right after the first screen, before anybody can want it. */
const choice = new LateComponent<ChoiceProps>(() => import('./rule-choice').then(({ RuleChoice }) => RuleChoice))

export interface Composer {
  /** What shows the candidates; null while it is not loaded. */
  Choice: ComponentType<ChoiceProps> | null
  /** Rules that match the call, from the narrowest to the widest; null while the desk has not said, or they cannot be shown. */
  candidates: Offer[] | null
  chosen: number
  choose: (index: number) => void
  note: string
  setNote: (note: string) => void
  /** What the chosen rule would have matched in the past; null while that is not known. */
  preview: Preview | null
  /** Why one of these could not be had. */
  error: DeskError | null
  retry: () => void
  /** The rule that would be saved; null until all of it, and what it would match, was shown. */
  rule: RuleForm | null
}

/** A rule in the making, while the composer is open. */
export function useComposer(call: PendingCall, open: boolean): Composer {
  const [known, setKnown] = useState(false)
  const [picked, choose] = useState<number | null>(null)
  const [note, setNote] = useState<string | null>(null)
  const widened = useLive('widen', open || known ? [{ callId: call.id }] : null)
  if (widened.data && !known) setKnown(true) // what may be chosen stays the same until the dialog is closed
  const shown = useLate(choice)
  const Choice = shown.component
  // A rule that cannot be shown is not there, so that it cannot be saved.
  const candidates = (Choice && widened.data?.filter(({ rule }) => mayMatch(rule, call))) ?? null
  const chosen = picked ?? Math.max(0, candidates?.findIndex(({ first }) => first) ?? 0)
  const form = candidates?.[chosen]?.rule ?? null
  const past = useLive('preview', open && form ? [{ put: [form] }] : null)
  const written = note ?? form?.note ?? ''
  return {
    Choice,
    candidates,
    chosen,
    choose,
    note: written,
    setNote,
    preview: past.data,
    error: shown.failed ? new DeskError({ code: 'unreachable', message: '' }) : (widened.error ?? past.error),
    retry: () => void (shown.failed ? shown : widened.data ? past : widened).reload(),
    rule: form !== null && past.data !== null ? { ...form, note: written.trim() } : null,
  }
}

/**
 * Whether a rule may be offered for a call. The desk offers none that does not match; this
 * only ever takes away, so that no mistake between there and here widens a rule.
 */
export function mayMatch(rule: RuleForm, call: Pick<PendingCall, 'serverId' | 'toolName'>): boolean {
  if (rule.effect !== 'allow' || !rule.enabled) return false
  if (rule.serverId !== null && rule.serverId !== call.serverId) return false
  if (rule.toolName !== null) return rule.toolName === call.toolName
  return rule.toolPattern === null || inOrder(call.toolName, rule.toolPattern.split('*'))
}

/** Whether a name has the stretches between the stars, one after the other, from its beginning to its end. */
function inOrder(name: string, stretches: string[]): boolean {
  const [first = '', ...rest] = stretches
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  for (const stretch of rest) {
    const found = name.indexOf(stretch, at)
    if (found < 0) return false
    at = found + stretch.length
  }
  return at + last.length <= name.length
}

import { useEffect, useState } from 'react'
import { useDesk } from '../../../desk/desk-context'
import { DeskError } from '../../../desk/desk-error'
import type { PendingCall, Preview, RuleForm } from '../../../desk/types'

export interface Composer {
  /** Rules that match the call, from the narrowest to the widest; null while the desk has not said. */
  candidates: RuleForm[] | null
  chosen: number
  choose: (index: number) => void
  note: string
  setNote: (note: string) => void
  /** What the chosen rule would have matched in the past; null while that is not known. */
  preview: Preview | null
  /** Why one of the two could not be had. */
  error: DeskError | null
  retry: () => void
  /** The rule that would be saved; null until all of it, and what it would match, was shown. */
  rule: RuleForm | null
}

/** A rule in the making, while the composer is open. */
export function useComposer(call: PendingCall, open: boolean): Composer {
  const desk = useDesk()
  const [candidates, setCandidates] = useState<RuleForm[] | null>(null)
  const [chosen, choose] = useState(0)
  const [note, setNote] = useState<string | null>(null)
  const [seen, setSeen] = useState<{ of: RuleForm; preview: Preview } | null>(null)
  const [error, setError] = useState<DeskError | null>(null)
  const [attempt, setAttempt] = useState(0)
  const { id, serverId, toolName } = call
  const form = candidates?.[chosen] ?? null

  useEffect(() => {
    if (!open || candidates !== null) return
    return settle(desk.widen(id), (rules) => {
      setError(null)
      setCandidates(rules.filter((rule) => mayMatch(rule, { serverId, toolName })))
    }, setError)
  }, [desk, id, serverId, toolName, open, candidates, attempt])

  useEffect(() => {
    if (!open || form === null) return
    return settle(desk.preview({ put: [form] }), (preview) => {
      setError(null)
      setSeen({ of: form, preview })
    }, setError)
  }, [desk, open, form, attempt])

  const preview = form !== null && seen?.of === form ? seen.preview : null
  const written = note ?? form?.note ?? ''
  return {
    candidates,
    chosen,
    choose: (index) => {
      setError(null)
      choose(index)
    },
    note: written,
    setNote,
    preview,
    error,
    retry: () => {
      setError(null)
      setAttempt(attempt + 1)
    },
    rule: form !== null && preview !== null ? { ...form, note: written.trim() } : null,
  }
}

/** Hands on what comes, unless nobody wants it any more. */
function settle<T>(answer: Promise<T>, onDone: (value: T) => void, onError: (error: DeskError) => void): () => void {
  let wanted = true
  answer.then(
    (value) => {
      if (wanted) onDone(value)
    },
    (thrown: unknown) => {
      if (wanted) onError(DeskError.from(thrown))
    },
  )
  return () => {
    wanted = false
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

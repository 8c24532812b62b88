import { useRef, useState } from 'react'
import { useDesk } from '../../../desk/desk-context'
import { DeskError } from '../../../desk/desk-error'
import type { RuleForm } from '../../../desk/types'
import type { Beside, Verdict } from './draft'

/** What went wrong, and whether the rule of a "save and approve" stands nevertheless. */
export interface Failure {
  error: DeskError
  ruleSaved: boolean
}

/** An answer that is complete. */
export interface Given {
  verdict: Verdict
  identical: Beside['identical']
  /** To be saved before the call is released. */
  rule: RuleForm | null
}

/** Sends the verdict; gives an error when the call still waits. */
export type OnAnswer = (verdict: Verdict, beside: Beside) => Promise<DeskError | null>

export interface Sending {
  busy: boolean
  /** Asks at once: an event must not trust what was last drawn. */
  busyNow: () => boolean
  failure: Failure | null
  fail: (error: DeskError | null) => void
  /** Gives what went wrong; null when the answer was taken. */
  send: (given: Given) => Promise<Failure | null>
}

/** Sends one answer at a time. */
export function useSending(onAnswer: OnAnswer): Sending {
  const desk = useDesk()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const sending = useRef(false)
  const named = useRef({ form: '', id: '' })
  /** If the rule cannot be saved, nothing is approved. */
  const saveAndAnswer = async ({ verdict, identical, rule }: Given): Promise<Failure | null> => {
    if (rule) {
      const form = JSON.stringify(rule)
      const again = named.current.form === form
      if (!again) named.current = { form, id: newId() }
      const refused = await desk.createRule({ ...rule, id: named.current.id }).then(() => null, DeskError.from)
      // The one of this id is this one: the reply to an earlier try was lost.
      if (refused && !(again && refused.code === 'already_exists')) return { error: refused, ruleSaved: false }
    }
    const ruleSaved = rule !== null
    const error = await onAnswer(verdict, { identical, ruleSaved })
    return error && { error, ruleSaved }
  }
  return {
    busy,
    busyNow: () => sending.current,
    failure,
    fail: (error) => {
      setFailure(error && { error, ruleSaved: false })
    },
    send: async (given) => {
      sending.current = true
      setBusy(true)
      setFailure(null)
      const failed = await saveAndAnswer(given)
      sending.current = false
      setBusy(false)
      setFailure(failed)
      return failed
    },
  }
}

/** An id that nothing else has. (crypto.randomUUID is there on secure pages only.) */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

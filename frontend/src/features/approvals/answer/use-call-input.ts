import { useEffect, useState } from 'react'
import { useDesk } from '../../../desk/desk-context'
import { DeskError } from '../../../desk/desk-error'

export type CallInput =
  { state: 'loading' } | { state: 'shown'; raw: string; envelope: string | null } | { state: 'failed'; error: DeskError; retry: () => void }

/**
 * The raw input of a call, and its envelope where it has one: a call of which a part is missing is not
 * shown. Render it under a key of the call and its hash: it is loaded once.
 */
export function useCallInput(callId: string, enveloped: boolean): CallInput {
  const desk = useDesk()
  const [input, setInput] = useState<CallInput>({ state: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let current = true
    const retry = () => {
      setInput({ state: 'loading' })
      setAttempt(attempt + 1)
    }
    Promise.all([desk.input(callId), enveloped ? desk.envelope(callId) : null]).then(
      ([raw, envelope]) => {
        if (current) setInput({ state: 'shown', raw, envelope })
      },
      (error: unknown) => {
        if (current) setInput({ state: 'failed', error: DeskError.from(error), retry })
      },
    )
    return () => {
      current = false
    }
  }, [desk, callId, enveloped, attempt])
  return input
}

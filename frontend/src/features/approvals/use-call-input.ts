import { useEffect, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'

export type CallInput = { state: 'loading' } | { state: 'shown'; raw: string } | { state: 'failed'; error: DeskError; retry: () => void }

/** The raw input of a call. Render it under a key of the call and its hash: it is loaded once. */
export function useCallInput(callId: string): CallInput {
  const desk = useDesk()
  const [input, setInput] = useState<CallInput>({ state: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let current = true
    const retry = () => {
      setInput({ state: 'loading' })
      setAttempt(attempt + 1)
    }
    desk.input(callId).then(
      (raw) => {
        if (current) setInput({ state: 'shown', raw })
      },
      (error: unknown) => {
        if (current) setInput({ state: 'failed', error: DeskError.from(error), retry })
      },
    )
    return () => {
      current = false
    }
  }, [desk, callId, attempt])
  return input
}

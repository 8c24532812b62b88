import { useState } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useKept } from '../../../ui/use-kept'
import { blankDraft, type Draft } from './draft'

const nothing: Pick<Draft, 'reason' | 'edited' | 'data'> = { reason: '', edited: null, data: '' }

/** What a person writes and chooses for a call. What is written outlives a reload; how far it reaches is chosen anew. */
export function useDraft(call: PendingCall): [Draft, (part: Partial<Draft>) => void] {
  const [written, setWritten] = useKept('call', `${call.id} ${call.inputHash}`, nothing)
  const [chosen, setChosen] = useState(blankDraft)
  const change = (part: Partial<Draft>) => {
    setChosen((old) => ({ ...old, ...part }))
    setWritten((old) => {
      const { reason, edited, data } = { ...old, ...part }
      return { reason, edited, data }
    })
  }
  return [{ ...chosen, ...written }, change]
}

import type { DeskError } from '../../../desk/desk-error'
import { useLive } from '../../../desk/live'
import type { Call } from '../../../desk/types'

export type CallInput =
  { state: 'loading' } | { state: 'shown'; raw: string; envelope: string | null } | { state: 'failed'; error: DeskError; retry: () => void }

/** The raw input of a call, and its envelope where it has one: a call of which a part is missing is not shown. Of one hash it is loaded once. */
export function useCallInput({ id, envelopeHash, inputHash }: Call): CallInput {
  const { data, error, reload } = useLive('input', [id, envelopeHash !== null], inputHash)
  if (data) return { state: 'shown', ...data }
  return error ? { state: 'failed', error, retry: () => void reload() } : { state: 'loading' }
}

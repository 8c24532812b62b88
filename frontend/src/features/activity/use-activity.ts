import { useCallback, useRef, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Call } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['call.', 'inputs.']

const loadNewest = (desk: Desk) => desk.calls({ cursor: null })

/** Calls, newest first: a first page that follows the desk, and older ones on demand. */
export function useActivity() {
  const desk = useDesk()
  const { data, error } = useDeskData(loadNewest, kinds)
  const [older, setOlder] = useState<{ calls: Call[]; next: string | null } | null>(null)
  const [told, setTold] = useState<readonly Call[]>([])
  const [olderError, setOlderError] = useState<DeskError | null>(null)
  const loading = useRef(false)
  const cursor = older ? older.next : (data?.next ?? null)
  const more = useCallback(async () => {
    if (cursor === null || loading.current) return
    loading.current = true
    try {
      const page = await desk.calls({ cursor })
      setOlder((before) => ({ calls: [...(before?.calls ?? []), ...page.calls], next: page.next }))
      setOlderError(null)
    } catch (thrown) {
      setOlderError(DeskError.from(thrown))
    } finally {
      loading.current = false
    }
  }, [desk, cursor])
  /** Takes the newer row of a listed call, of an older page too, which no event loads again. */
  const known = useCallback((call: Call) => {
    setTold((before) => [...before.filter(({ id }) => id !== call.id), call])
  }, [])
  return { calls: data && joined([...data.calls, ...told], older?.calls ?? []), hasMore: cursor !== null, error: error ?? olderError, more, known }
}

/** The newest row of each call, in order: a call that moved between two pages is told once. */
export function joined(newest: readonly Call[], older: readonly Call[]): Call[] {
  const byId = new Map<string, Call>()
  for (const call of [...newest, ...older]) {
    const known = byId.get(call.id)
    if (!known || known.rev < call.rev) byId.set(call.id, call)
  }
  return [...byId.values()].sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1))
}

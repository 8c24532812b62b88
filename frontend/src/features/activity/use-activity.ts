import { useCallback, useRef, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Call } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['call.']

const loadNewest = (desk: Desk) => desk.calls({ cursor: null })

/** Calls, newest first: a first page that follows the desk, and older ones on demand. */
export function useActivity() {
  const desk = useDesk()
  const { data, error } = useDeskData(loadNewest, kinds)
  const [older, setOlder] = useState<{ calls: Call[]; next: string | null } | null>(null)
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
  return { calls: data && joined(data.calls, older?.calls ?? []), hasMore: cursor !== null, error: error ?? olderError, more }
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

import { useCallback, useMemo, useRef, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Call } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['call.', 'inputs.']

/** Which calls are listed: by what became of them, and by a text in their names. */
export interface ActivityFilter {
  text: string
  statuses: readonly string[]
}

interface Older {
  filter: ActivityFilter
  calls: Call[]
  next: string | null
}

/** Calls, newest first: a first page that follows the desk, and older ones on demand. filter must be stable. */
export function useActivity(filter: ActivityFilter) {
  const desk = useDesk()
  const load = useCallback(async (from: Desk) => ({ filter, ...(await from.calls({ cursor: null, ...filter })) }), [filter])
  const { data, error } = useDeskData(load, kinds)
  const [loaded, setLoaded] = useState<Older | null>(null)
  const [told, setTold] = useState<readonly Call[]>([])
  const [olderError, setOlderError] = useState<DeskError | null>(null)
  const loading = useRef(false)
  const newest = data?.filter === filter ? data : null
  const older = loaded?.filter === filter ? loaded : null // pages of another search are none of this one
  const cursor = older ? older.next : (newest?.next ?? null)
  const more = useCallback(async () => {
    if (cursor === null || loading.current) return
    loading.current = true
    try {
      const page = await desk.calls({ cursor, ...filter })
      setLoaded((before) => ({ filter, calls: [...(before?.filter === filter ? before.calls : []), ...page.calls], next: page.next }))
      setOlderError(null)
    } catch (thrown) {
      setOlderError(DeskError.from(thrown))
    } finally {
      loading.current = false
    }
  }, [desk, cursor, filter])
  /** Takes the newer row of a listed call, of an older page too, which no event loads again. */
  const known = useCallback((call: Call) => {
    setTold((before) => [...before.filter(({ id }) => id !== call.id), call])
  }, [])
  const calls = useMemo(() => newest && joined(newest.calls, older?.calls ?? [], told), [newest, older, told])
  return { calls, hasMore: cursor !== null, error: error ?? olderError, more, known }
}

/** The newest row of each call, in order: a call that moved between two pages is told once. told are newer rows of listed ones. */
export function joined(newest: readonly Call[], older: readonly Call[], told: readonly Call[] = []): Call[] {
  const byId = new Map<string, Call>()
  for (const call of [...newest, ...older]) {
    const known = byId.get(call.id)
    if (!known || known.rev < call.rev) byId.set(call.id, call)
  }
  for (const call of told) if ((byId.get(call.id)?.rev ?? Infinity) < call.rev) byId.set(call.id, call)
  return [...byId.values()].sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1))
}

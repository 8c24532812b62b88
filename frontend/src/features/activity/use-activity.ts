import { useEffect, useState, useSyncExternalStore } from 'react'
import type { CallsQuery } from '../../desk/call-list'
import { CallStore } from '../../desk/call-store'
import { useDesk } from '../../desk/desk-context'

/** The calls of a query, newest first, as the store of calls has them: complete as far down as they were loaded. query must be stable. */
export function useActivity(query: CallsQuery) {
  const desk = useDesk()
  const [store] = useState(() => new CallStore(desk))
  useEffect(() => {
    store.show(query)
  }, [store, query])
  useEffect(() => store.follow(), [store])
  const { calls, complete, error } = useSyncExternalStore(store.subscribe, store.view)
  return { calls, hasMore: complete !== null && complete.to !== null, error, more: store.more, known: store.take }
}

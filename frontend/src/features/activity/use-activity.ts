import { useState, useSyncExternalStore } from 'react'
import type { CallsQuery } from '../../desk/call-list'
import { callsOf } from '../../desk/call-store'
import { useDesk } from '../../desk/desk-context'

/** The calls of a query, newest first, as the store of calls has them: complete as far down as they were loaded. query must be stable. */
export function useActivity(query: CallsQuery) {
  const store = callsOf(useDesk())
  // Not a memo, which React may drop, and with it the pages that were loaded.
  const [list, setList] = useState(() => store.list(query))
  if (list.query !== query) setList(store.list(query))
  const { calls, complete, error } = useSyncExternalStore(list.subscribe, list.view)
  return { calls, hasMore: complete !== null && complete.to !== null, error, more: list.more, known: store.take }
}

import { useMemo, useSyncExternalStore } from 'react'

/** What the address asks of this screen: #/rules?rule=ID shows a rule, #/rules?test=ID tries a call. */
export interface Address {
  rule: string
  test: string
}

export function useAddress(): Address {
  const hash = useSyncExternalStore(onHashChange, current)
  return useMemo(() => {
    const query = new URLSearchParams(hash.slice(hash.indexOf('?') + 1))
    return { rule: query.get('rule') ?? '', test: query.get('test') ?? '' }
  }, [hash])
}

function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => {
    window.removeEventListener('hashchange', listener)
  }
}

function current(): string {
  return window.location.hash
}

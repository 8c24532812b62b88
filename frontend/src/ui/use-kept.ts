import { useEffect, useState } from 'react'

/**
 * State that outlives a reload of the page, and nothing else: the page's process can end
 * under a half-written text. name is of the place, owner of what it is about there: what
 * was kept for another is dropped. initial must be JSON and not change. Without a name nothing is kept.
 */
export function useKept<T>(name: string | null, owner: string, initial: T): [T, (next: T | ((old: T) => T)) => void] {
  const [state, setState] = useState(() => (name === null ? null : read<T>(name, owner)) ?? initial)
  useEffect(() => {
    if (name === null) return
    write(name, state === initial ? null : { owner, state })
    return () => {
      write(name, null)
    }
  }, [name, owner, state, initial])
  return [state, setState]
}

const key = (name: string) => `sekisho.draft.${name}`

function read<T>(name: string, owner: string): T | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(name)) ?? 'null') as { owner: string; state: T } | null
    return kept?.owner === owner ? kept.state : null
  } catch {
    return null
  }
}

function write(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(key(name))
    else sessionStorage.setItem(key(name), JSON.stringify(value))
  } catch {
    // Without storage, or room in it, a reload loses what was not sent.
  }
}

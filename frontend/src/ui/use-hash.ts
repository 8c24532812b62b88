import { useSyncExternalStore } from 'react'

/** The address within the page, "#/rules?rule=ID", as it is now. */
export function useHash(): string {
  return useSyncExternalStore(onHashChange, current)
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

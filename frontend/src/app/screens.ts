import { useSyncExternalStore } from 'react'

export const screens = ['waiting', 'rules', 'activity', 'servers', 'agents'] as const

export type ScreenName = (typeof screens)[number]

/** The screen that the address names (#/rules), so that reload and "back" work. */
export function useScreen(): ScreenName {
  return useSyncExternalStore(onHashChange, current)
}

function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => {
    window.removeEventListener('hashchange', listener)
  }
}

function current(): ScreenName {
  return screens.find((name) => window.location.hash === `#/${name}`) ?? 'waiting'
}

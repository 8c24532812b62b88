import { useSyncExternalStore } from 'react'

export const screens = ['waiting', 'rules', 'grants', 'activity', 'servers', 'agents', 'settings'] as const

export type ScreenName = (typeof screens)[number]

/** The screen that the address names (#/rules, #/rules?rule=ID), so that reload and "back" work. */
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
  const [at] = window.location.hash.split('?')
  return screens.find((name) => at === `#/${name}`) ?? 'waiting'
}

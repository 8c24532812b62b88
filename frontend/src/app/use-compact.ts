import { useState, useSyncExternalStore } from 'react'
import type { Desk } from '../desk/desk'
import { useDesk } from '../desk/desk-context'

/** Whether the window is the small one for approvals alone; the style sheets know it by data-compact. */
export function useCompact(): boolean {
  const desk = useDesk()
  const [window] = useState(() => watchWindow(desk))
  return useSyncExternalStore(window.subscribe, window.isCompact)
}

function watchWindow(desk: Desk) {
  let isCompact = false
  const show = (compact: boolean) => {
    isCompact = compact
    document.documentElement.toggleAttribute('data-compact', compact)
  }
  return {
    isCompact: () => isCompact,
    subscribe: (tell: () => void) => {
      const stop = desk.onCompact((compact) => {
        show(compact)
        tell()
      })
      return () => {
        stop()
        show(false)
      }
    },
  }
}

import { useEffect, useEffectEvent } from 'react'
import type { Switch } from './use-switches'

/**
 * Ctrl+Shift+H, from anywhere, holds everything. It never ends that: a key pressed by mistake
 * must not allow more. It is sent even where the switch is on: another page may have released
 * meanwhile, and this one not know it yet.
 */
export function useHoldKey(hold: Switch): void {
  const press = useEffectEvent(() => {
    hold.set(true)
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.code !== 'KeyH' || !event.shiftKey || event.altKey || event.ctrlKey === event.metaKey) return
      event.preventDefault()
      if (!event.repeat) press()
    }
    window.addEventListener('keydown', onKeyDown, true) // before a dialog keeps it to itself
    return () => {
      window.removeEventListener('keydown', onKeyDown, true)
    }
  }, [])
}

import { useEffect, useEffectEvent } from 'react'
import type { Switch } from './use-switches'

/** Ctrl+Shift+H, from anywhere, holds everything. It never ends that: a key pressed by mistake must not allow more. */
export function useHoldKey(hold: Switch): void {
  const press = useEffectEvent(() => {
    if (hold.pressed !== true) hold.set(true)
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

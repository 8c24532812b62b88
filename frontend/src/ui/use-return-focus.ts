import { useEffect, useRef, type RefObject } from 'react'

/**
 * Where the focus goes when what had taken it away is over: to the element of the returned ref, or to the first in it that
 * fits a selector.
 */
export function useReturnFocus<E extends HTMLElement>(away: boolean, inside = ''): RefObject<E | null> {
  const home = useRef<E>(null)
  const was = useRef(away)
  useEffect(() => {
    if (was.current && !away) (inside === '' ? home.current : home.current?.querySelector<HTMLElement>(inside))?.focus()
    was.current = away
  }, [away, inside])
  return home
}

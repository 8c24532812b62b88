import { useEffect, useRef, type RefObject } from 'react'

/** Puts the focus where it was first, when what had taken it away is over. Never on an answer. */
export function useFocusBack(atHome: boolean): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null)
  const away = useRef(false)
  useEffect(() => {
    if (atHome && away.current) frame.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus()
    away.current = !atHome
  }, [atHome])
  return frame
}

/** As a ref: comes into view from its beginning and takes the focus. Stable, so that it does so once. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'start' })
}

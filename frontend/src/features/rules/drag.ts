/** What comes of dragging something by a pointer. */
interface Drag {
  /** The pointer has moved, or what is below it was scrolled. */
  onMove: (clientY: number) => void
  /** It was let go, or the drag was given up. */
  onEnd: (dropped: boolean) => void
}

/** A press that moves less than this is a click. */
const clickPixels = 4
const edgePixels = 72
const fastest = 22

/**
 * Follows a pointer that was pressed, until it is let go. Near the
 * edges of the window the page scrolls by itself, the faster the nearer.
 * Escape gives up.
 */
export function followPointer(pointerId: number, startY: number, { onMove, onEnd }: Drag): void {
  let y = startY
  let moving = false
  let frame = 0
  const scroll = () => {
    const page = document.scrollingElement
    const past = y < edgePixels ? y - edgePixels : y > window.innerHeight - edgePixels ? y - window.innerHeight + edgePixels : 0
    if (page && past !== 0) {
      page.scrollTop += Math.max(-1, Math.min(1, past / edgePixels)) * fastest
      onMove(y)
    }
    frame = requestAnimationFrame(scroll)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return
    y = event.clientY
    if (!moving && Math.abs(y - startY) < clickPixels) return
    if (!moving) frame = requestAnimationFrame(scroll)
    moving = true
    onMove(y)
  }
  const end = (dropped: boolean) => {
    cancelAnimationFrame(frame)
    stop.abort()
    if (moving) onEnd(dropped)
  }
  const stop = new AbortController()
  const { signal } = stop
  const onUp = (event: PointerEvent) => {
    if (event.pointerId === pointerId) end(event.type === 'pointerup')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !moving) return
    event.preventDefault()
    event.stopPropagation()
    end(false)
  }
  window.addEventListener('pointermove', onPointerMove, { signal })
  window.addEventListener('pointerup', onUp, { signal })
  window.addEventListener('pointercancel', onUp, { signal })
  window.addEventListener('keydown', onKeyDown, { signal, capture: true })
}

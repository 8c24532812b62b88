/** What comes of dragging something by a pointer. */
interface Drag {
  /** The pointer has moved, or what is below it was scrolled. */
  onMove: (clientY: number) => void
  /** It was let go, or the drag was given up. */
  onEnd: (dropped: boolean) => void
  /** The pointer is up. If that makes a click, it comes at once. */
  onUp: () => void
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
export function followPointer(pointerId: number, startY: number, { onMove, onEnd, onUp }: Drag): void {
  let y = startY
  let moving = false
  let over = false
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
    if (event.pointerId !== pointerId || over) return
    y = event.clientY
    if (!moving && Math.abs(y - startY) < clickPixels) return
    if (!moving) frame = requestAnimationFrame(scroll)
    moving = true
    onMove(y)
  }
  const end = (dropped: boolean) => {
    if (over) return
    over = true
    cancelAnimationFrame(frame)
    if (moving) onEnd(dropped)
  }
  const stop = new AbortController()
  const { signal } = stop
  const onRelease = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return
    end(event.type === 'pointerup')
    stop.abort()
    onUp()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !moving || over) return
    event.preventDefault()
    event.stopPropagation()
    end(false)
  }
  window.addEventListener('pointermove', onPointerMove, { signal })
  window.addEventListener('pointerup', onRelease, { signal })
  window.addEventListener('pointercancel', onRelease, { signal })
  window.addEventListener('keydown', onKeyDown, { signal, capture: true })
}

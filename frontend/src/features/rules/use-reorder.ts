import { useLayoutEffect, useMemo, useRef, useState, type FocusEvent, type KeyboardEvent, type MouseEvent, type PointerEvent, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { DeskError } from '../../desk/desk-error'
import type { Rule } from '../../desk/types'
import type { VirtualListHandle } from '../../ui/virtual-list/virtual-list'
import { stepOf, type Moving } from './arrange'
import { followPointer } from './drag'
import { keyOf } from './row-key'
import { useMove } from './use-move'

type Element = HTMLElement

/** What the handle of a row does. Stable, so that rows need not be drawn again. */
export interface HandleEvents {
  onClick: (event: MouseEvent<Element>, id: string) => void
  onKeyDown: (event: KeyboardEvent<Element>, id: string) => void
  onPointerDown: (event: PointerEvent<Element>, id: string) => void
  onBlur: (event: FocusEvent<Element>) => void
}

export interface Reorder {
  /** The rule in hand: picked up by the keyboard, or on its way while the desk answers. The list shows it where it would stand. */
  moving: Moving | null
  /** The rule that a pointer drags, and before which row in view it would be dropped. */
  drag: { id: string; at: number } | null
  said: string
  error: DeskError | null
  handle: HandleEvents
}

/** Moves rules by the keyboard or by a pointer. */
export function useReorder(shown: readonly Rule[], list: RefObject<VirtualListHandle | null>): Reorder {
  const { underway, error, said, pickedUp, steppedTo, putBack, commit } = useMove(shown)
  const [inHand, setInHand] = useState<Moving | null>(null)
  const [drag, setDrag] = useState<Reorder['drag']>(null)
  const wasDragged = useRef(false)
  const placeOf = (id: string) => shown.findIndex((rule) => rule.id === id)
  const beforeLast = (at: number) => Math.min(at, shown.length) // nothing goes below the row that nobody can change
  const now: HandleEvents & { onDrop: (id: string, at: number) => void } = {
    onClick: ({ currentTarget }, id) => {
      if (wasDragged.current || underway) {
        wasDragged.current = false
      } else if (inHand) {
        setInHand(null)
        void commit(inHand)
      } else {
        currentTarget.focus() // not every browser does so at a click
        setInHand({ id, to: placeOf(id) })
        pickedUp({ id, to: placeOf(id) })
      }
    },
    onKeyDown: (event, id) => {
      if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault()
      if (inHand?.id !== id) return
      const to = event.key === 'Escape' ? placeOf(id) : stepOf(event.key, inHand.to, shown.length)
      if (to === null) return
      event.preventDefault()
      event.stopPropagation()
      const { currentTarget } = event
      flushSync(() => {
        setInHand(event.key === 'Escape' ? null : { id, to })
        if (event.key === 'Escape') putBack()
        else steppedTo({ id, to })
      })
      list.current?.reveal(keyOf(id), 'nearest')
      currentTarget.focus({ preventScroll: true }) // being moved costs an element the focus
    },
    onPointerDown: (event, id) => {
      wasDragged.current = false
      if (event.button !== 0 || underway || inHand) return
      let at = placeOf(id)
      followPointer(event.pointerId, event.clientY, {
        onMove: (clientY) => {
          wasDragged.current = true
          at = list.current?.placeAt(clientY) ?? at
          setDrag({ id, at })
        },
        onEnd: (dropped) => {
          setDrag(null)
          if (dropped) latest.current?.onDrop(id, at)
        },
        onUp: () => {
          setTimeout(() => {
            wasDragged.current = false // let go beside the handle, there is no click to take it for
          })
        },
      })
    },
    onBlur: ({ currentTarget }) => {
      if (!inHand || document.activeElement === currentTarget) return // the whole window lost it
      setInHand(null)
      putBack()
    },
    onDrop: (id, at) => {
      const from = placeOf(id)
      const before = beforeLast(at)
      if (from >= 0) void commit({ id, to: before > from ? before - 1 : before })
    },
  }
  const latest = useRef<typeof now | null>(null)
  useLayoutEffect(() => {
    latest.current = now
  })
  const handle = useMemo<HandleEvents>(
    () => ({
      onClick: (event, id) => latest.current?.onClick(event, id),
      onKeyDown: (event, id) => latest.current?.onKeyDown(event, id),
      onPointerDown: (event, id) => latest.current?.onPointerDown(event, id),
      onBlur: (event) => latest.current?.onBlur(event),
    }),
    [],
  )
  // A rule that is gone, or no longer in view, is in nobody's hand.
  const held = underway ?? inHand
  const moving = held && placeOf(held.id) >= 0 ? { ...held, to: Math.min(held.to, shown.length - 1) } : null
  return { moving, drag: drag && { ...drag, at: beforeLast(drag.at) }, said, error, handle }
}

import { commonLength } from '../../lists/common-length'
import { Heights } from './heights'

/** Rows of a list, by index: from the first to before the last. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** So many pixels of rows are kept beyond each edge of what is in view: room for fast scrolling and for the Tab key. */
const beyond = 500
/** And so many where all rows in view are new: as many as they may be less high than was thought. */
const beyondNew = 150
/** No more rows than these are drawn before it is known where the list stands. */
const mostAtFirst = 30
/** Browsers measure in single precision: far down a page of millions of pixels a place is known to a few of them only. */
const precision = 2 ** -21
/** Into so many parts browsers divide a pixel. */
const finest = 64
/** So often may what is drawn change what is in view before a frame is painted: rows that are never sure of their heights must not stop the page. */
const mostChanges = 20

/** What is to be seen, in pixels of the window. */
interface View {
  /** Where the list begins. */
  list: number
  /** What shows of it: the window, or the part of it that scrolls. */
  top: number
  bottom: number
  /** How far it is scrolled. */
  scrolled: number
}

/**
 * Knows which rows of a long list are in view and keeps those that are drawn at
 * their place. Rows stand in the normal flow; where some are left out, the next
 * one has a margin as high as these. Heights are estimated until measured, by
 * the rows that were, and what is in view does not move when a row above turns
 * out higher or lower. Where rows stand is summed up, not asked of the browser.
 * After a draw all that must be written is written before anything is asked, so
 * that the browser lays out the page once.
 */
export class RowWindow {
  #range: Range
  #keys: readonly string[] = []
  readonly #heights: Heights
  readonly #measured = new Map<string, number>()
  /** Of what was measured. */
  #sum = 0
  /** When so many rows were measured, the estimate is made anew: each time that they are twice as many. */
  #enough = 1
  readonly #listeners = new Set<() => void>()
  #list: HTMLElement | null = null
  #scroller: Element | null = null
  /** The topmost row in view, which is to stay where it is; at is its place in all that can be scrolled to. */
  #anchor: { key: string; index: number; at: number } | null = null
  /** The row that has the focus, where its end is in view, and where it begins. */
  #seen: { key: string; top: number } | null = null
  #sizes: ResizeObserver | null = null
  readonly #watched = new Set<Element>()
  /** Of the range, in this frame. */
  #changes = 0
  /** How far the list was scrolled when this looked last. */
  #looked = NaN
  /** Only rows in view are drawn, for now. */
  #leapt = false
  #calm = 0
  /** The frame in which a scroll is heard; 0 for none. */
  #scroll = 0

  constructor(estimate: number) {
    this.#heights = new Heights(estimate)
    this.#range = { from: 0, to: Math.min(mostAtFirst, Math.ceil((window.innerHeight + beyond) / estimate)) }
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  range = (): Range => this.#range

  /** Watches a list until the function that it gives is called. */
  attach = (list: HTMLElement): (() => void) => {
    this.#list = list
    this.#scroller = scrollerOf(list)
    this.#sizes = new ResizeObserver((changes) => {
      for (const { target, borderBoxSize } of changes) if (target !== document.body) this.#measure(target, borderBoxSize[0]?.blockSize ?? 0)
      this.place(this.#keys)
    })
    this.#sizes.observe(document.body)
    // Scripts may scroll further before the frame is painted: rows are drawn once in it, for where it stands in the end.
    const onScroll = (event: Event) => {
      if (event.target instanceof Node && !event.target.contains(list)) return
      if (this.#leapt) this.#later() // it is not calm
      this.#scroll ||= requestAnimationFrame(() => {
        this.#scroll = 0
        const view = this.#view()
        // A script's scroll was seen before its event, when rows were placed.
        this.#look(view, view.scrolled === this.#looked ? 'placed' : 'moved')
      })
    }
    const onResize = () => {
      this.#look(this.#view(), 'moved')
    }
    document.addEventListener('scroll', onScroll, { capture: true, passive: true })
    window.addEventListener('resize', onResize)
    return () => {
      document.removeEventListener('scroll', onScroll, { capture: true })
      window.removeEventListener('resize', onResize)
      this.#sizes?.disconnect()
      this.#watched.clear()
      cancelAnimationFrame(this.#scroll)
      this.#scroll = 0
      cancelAnimationFrame(this.#calm)
      this.#leapt = false
      this.#list = null
    }
  }

  /** Measures the rows that are newly drawn and puts each at its place. keys are of all rows, drawn or not. */
  place(keys: readonly string[]): void {
    if (!this.#list) return
    const rows = [...this.#list.children].filter((row) => row instanceof HTMLElement)
    if (keys !== this.#keys) this.#take(keys)
    // Nothing is asked of the browser before the page is as high as it shall be: it would scroll to what is left.
    this.#space(rows)
    this.#watch(rows)
    const view = this.#view()
    this.#space(rows) // writes only where the estimate is another, or a row was measured that is left out
    this.#look(this.#follow(this.#hold(view)), 'placed')
  }

  /** Takes the keys of all rows. What is known of the first ones stays where these are the same. */
  #take(keys: readonly string[]): void {
    const same = commonLength(this.#keys, keys)
    this.#keys = keys
    this.#heights.cut(same)
    for (let i = same; i < keys.length; i++) this.#heights.push(this.#measured.get(keys[i] ?? ''))
  }

  /** Before which row something would stand that is dropped at this height of the window. */
  placeAt(clientY: number): number {
    const y = clientY - this.#view().list
    const index = this.#heights.indexAt(y)
    return y > this.#heights.offset(index) + this.#heights.of(index) / 2 ? index + 1 : index
  }

  #watch(rows: readonly Element[]): void {
    for (const row of this.#watched) {
      if (row.isConnected) continue
      this.#sizes?.unobserve(row)
      this.#watched.delete(row)
    }
    for (const row of rows) {
      if (this.#watched.has(row)) continue
      this.#measure(row, row.getBoundingClientRect().height)
      this.#sizes?.observe(row)
      this.#watched.add(row)
    }
    this.#learn()
  }

  #measure(row: Element, height: number): void {
    const index = indexOf(row)
    const key = this.#keys[index]
    if (height <= 0 || key === undefined || !row.isConnected) return
    this.#sum += height - (this.#measured.get(key) ?? 0)
    this.#measured.set(key, height)
    this.#heights.set(index, height)
  }

  /** Takes the rows that were measured for an example of all others. */
  #learn(): void {
    if (this.#measured.size < this.#enough) return
    this.#enough = this.#measured.size * 2
    this.#heights.estimate = Math.round((this.#sum / this.#measured.size) * finest) / finest
  }

  #space(rows: HTMLElement[]): void {
    let next = 0
    for (const row of rows) {
      const index = indexOf(row)
      set(row, 'marginBlockStart', this.#between(next, index))
      next = index + 1
    }
    if (this.#list) set(this.#list, 'paddingBlockEnd', this.#between(next, this.#keys.length))
  }

  #between(from: number, to: number): number {
    return from >= to ? 0 : this.#heights.offset(to) - this.#heights.offset(from)
  }

  /** Scrolls by as much as the anchor has moved, and gives the view after it. */
  #hold(view: View): View {
    if (!this.#anchor || !this.#scroller) return view
    const { key, index: was } = this.#anchor
    const index = this.#keys[was] === key ? was : this.#keys.indexOf(key)
    const moved = index < 0 ? 0 : view.list + view.scrolled + this.#heights.offset(index) - this.#anchor.at
    if (Math.abs(moved) < Math.max(1, view.scrolled * precision)) return view
    return this.#scrollBy(moved, view)
  }

  /** Brings the row with the focus back into view, where rows above it have grown and pushed it out, and gives the view after it. */
  #follow(view: View): View {
    const [index, seen] = [this.#focused(), this.#seen]
    if (!seen || this.#keys[index] !== seen.key) return view
    const top = view.list + this.#heights.offset(index)
    const moved = Math.min(top + this.#heights.of(index) - view.bottom, top - seen.top)
    return moved < 1 ? view : this.#scrollBy(moved, view)
  }

  #scrollBy(moved: number, view: View): View {
    const scrolled = view.scrolled + moved
    if (this.#scroller) this.#scroller.scrollTop = scrolled
    return { ...view, list: view.list - moved, scrolled }
  }

  /** The row that has the focus, or something in it; -1 for none. */
  #focused(): number {
    const row = document.activeElement?.closest('[data-index]')
    return row && row.parentElement === this.#list ? indexOf(row) : -1
  }

  #view(): View {
    const list = this.#list?.getBoundingClientRect().top ?? 0
    const scrolled = this.#scroller?.scrollTop ?? 0
    const page = { list, scrolled, top: 0, bottom: window.innerHeight }
    if (!this.#scroller || this.#scroller === document.scrollingElement) return page
    const { top, bottom } = this.#scroller.getBoundingClientRect()
    return { ...page, top: Math.max(top, page.top), bottom: Math.min(bottom, page.bottom) }
  }

  /**
   * Notes what is in view, and draws what is not drawn: rows were placed, the page has moved, or nothing did for a frame.
   * A list whose beginning is in view holds nothing: it grows downwards.
   */
  #look({ list, top, bottom, scrolled }: View, when: 'placed' | 'moved' | 'calm'): void {
    const first = this.#heights.indexAt(top - list)
    const key = this.#keys[first]
    this.#anchor = list < top && key !== undefined ? { key, index: first, at: list + scrolled + this.#heights.offset(first) } : null
    const focused = this.#focused()
    const ends = list + this.#heights.offset(focused + 1)
    const focusKey = ends > top && ends <= bottom ? this.#keys[focused] : undefined
    this.#seen = focusKey === undefined ? null : { key: focusKey, top: ends - this.#heights.of(focused) }
    const within = (room: number): Range => ({
      from: this.#heights.indexAt(top - room - list),
      to: Math.min(this.#heights.indexAt(bottom + room - list) + 1, this.#keys.length),
    })
    this.#looked = scrolled
    const near = within(0)
    const drawn = near.from >= this.#range.from && near.to <= this.#range.to
    const apart = near.from >= this.#range.to || near.to <= this.#range.from
    if (apart || (when === 'placed' && !drawn)) this.#leapt = true
    else if (when === 'calm' || !drawn) this.#leapt = false
    const next = within(this.#leapt ? beyondNew : beyond)
    if (this.#leapt) this.#later()
    if (next.from === this.#range.from && next.to === this.#range.to) return
    // What was just drawn is painted before more is drawn that nobody sees.
    if (drawn && (this.#leapt || when === 'placed')) this.#later()
    else this.#draw(next)
  }

  #draw(next: Range): void {
    if (this.#changes === 0) {
      requestAnimationFrame(() => {
        this.#changes = 0
      })
    }
    if (++this.#changes > mostChanges) return
    this.#range = next
    for (const tell of this.#listeners) tell()
  }

  /** Looks again once what is drawn was painted. */
  #later(): void {
    cancelAnimationFrame(this.#calm)
    this.#calm = requestAnimationFrame(() => {
      this.#calm = requestAnimationFrame(() => {
        if (this.#list) this.#look(this.#view(), 'calm')
      })
    })
  }
}

function indexOf(row: Element): number {
  return Number(row.getAttribute('data-index'))
}

function set(element: HTMLElement, property: 'marginBlockStart' | 'paddingBlockEnd', pixels: number): void {
  const text = pixels === 0 ? '' : `${String(pixels)}px`
  if (element.style[property] !== text) element.style[property] = text
}

function scrollerOf(element: Element): Element | null {
  for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(up).overflowY)) return up
  }
  return document.scrollingElement
}

import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { createRef, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { VirtualList, type VirtualListHandle } from './virtual-list'

/** Rows as a browser would lay them out: each as high as it says, below the margins that it was given. */
const page = { scroll: 0, listAt: 200, height: 600, resized: [] as ((changes: unknown[]) => void)[], laidOut: '', layouts: 0 }

const pixels = (text: string) => Number(text.replace('px', '')) || 0
const rowHeight = (row: Element) => Number(row.querySelector('[data-height]')?.getAttribute('data-height') ?? 0)

/** A browser lays out a page anew when it is asked for a place after something was written. */
function noteLayout(list: Element | null): void {
  const written = [...(list?.children ?? []), list].map((element) => `${element?.getAttribute('data-key') ?? ''} ${element?.getAttribute('style') ?? ''}`).join(',')
  if (written !== page.laidOut) page.layouts++
  page.laidOut = written
}

function rectOf(element: Element): { top: number; bottom: number; height: number } {
  const list = element.closest('ol')
  if (!list) return { top: 0, bottom: 300, height: 300 } // the box of one that scrolls by itself
  if (element === list) layOut(list)
  let top = page.listAt - page.scroll
  if (element === list) return { top, bottom: top, height: 0 }
  for (const row of list.children) {
    if (!(row instanceof HTMLElement)) continue
    top += pixels(row.style.marginBlockStart)
    if (row === element) break
    top += rowHeight(row)
  }
  return { top, bottom: top + rowHeight(element), height: rowHeight(element) }
}

/** A page cannot be scrolled further than it is high: who asks too early is answered so. */
function layOut(list: Element): void {
  const rows = [...list.children].filter((row) => row instanceof HTMLElement)
  const height = rows.reduce((sum, row) => sum + pixels(row.style.marginBlockStart) + rowHeight(row), page.listAt + pixels((list as HTMLElement).style.paddingBlockEnd))
  page.scroll = Math.max(0, Math.min(page.scroll, height - page.height))
}

const root = { get scrollTop() { return page.scroll }, set scrollTop(y: number) { page.scroll = y } }

beforeEach(() => {
  Object.assign(page, { scroll: 0, listAt: 200, height: 600, resized: [], laidOut: '', layouts: 0 })
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    noteLayout(this.closest('ol'))
    return rectOf(this) as DOMRect
  })
  vi.spyOn(window, 'innerHeight', 'get').mockImplementation(() => page.height)
  Object.defineProperty(document, 'scrollingElement', { configurable: true, value: root })
  vi.stubGlobal('ResizeObserver', class {
    constructor(report: (changes: unknown[]) => void) { page.resized.push(report) }
    observe() {}
    unobserve() {}
    disconnect() {}
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(document, 'scrollingElement')
})

interface Item { key: string; height: number }

const many = (length: number, height = 50): Item[] => Array.from({ length }, (_, i) => ({ key: `k${String(i)}`, height }))
const keyOf = (item: Item) => item.key
const drawn = () => screen.getAllByRole('listitem').map((row) => row.getAttribute('data-key'))
const row = (key: string) => {
  const found = document.querySelector(`[data-key=${key}]`)
  if (!found) throw new Error(`${key} is not drawn`)
  return found
}
const scrollTo = (y: number) => {
  inAFrame(() => {
    page.scroll = y
    fireEvent.scroll(document)
  })
}

/** What is scrolled, and the frame that is drawn after it. */
function inAFrame(scroll: () => void): void {
  const frame = new Map<number, FrameRequestCallback>()
  let last = 1e6 // beyond the numbers of other frames
  const ask = vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation((draw) => {
    frame.set(++last, draw)
    return last
  })
  const cancel = globalThis.cancelAnimationFrame
  const forget = vi.spyOn(globalThis, 'cancelAnimationFrame').mockImplementation((id) => {
    if (!frame.delete(id)) cancel(id)
  })
  scroll()
  ask.mockRestore()
  forget.mockRestore()
  act(() => {
    for (const draw of frame.values()) draw(performance.now())
  })
}

function show(items: readonly Item[], more: { pinned?: string[]; ref?: React.Ref<VirtualListHandle> } = {}) {
  const list = (now: readonly Item[]) => (
    <VirtualList label="Things" items={now} keyOf={keyOf} estimate={50} {...more}>
      {(item) => <button data-height={item.height}>{item.key}</button>}
    </VirtualList>
  )
  const { rerender } = render(list(items))
  return (now: readonly Item[]) => {
    rerender(list(now))
  }
}

describe('a long list', () => {
  it('draws what is in view and a little more, each row at its place and saying which of how many it is', () => {
    show(many(10_000))
    expect(drawn().slice(0, 2)).toEqual(['k0', 'k1'])
    expect(drawn().length).toBeLessThan(40)
    scrollTo(250_000)
    expect(drawn()).toContain('k5000')
    expect(drawn().length).toBeLessThan(40)
    for (const key of drawn()) expect(rectOf(row(key ?? '')).top).toBe(200 - 250_000 + 50 * Number(key?.slice(1)))
    expect(row('k5000').getAttribute('aria-posinset')).toBe('5001')
    expect(row('k5000').getAttribute('aria-setsize')).toBe('10000')
    scrollTo(500_200)
    expect(drawn().at(-1)).toBe('k9999')
    expect(screen.getByRole('list').style.paddingBlockEnd).toBe('')
  })

  it('draws what is in view first where all of it is new, and what is beyond once that was painted', async () => {
    show(many(10_000))
    scrollTo(250_000)
    const first = drawn().filter((key) => Number(key?.slice(1)) > 100).length
    expect(first).toBeLessThan(20)
    await waitFor(() => {
      expect(drawn().length).toBeGreaterThan(first + 10)
    })
  })

  it('draws in one frame only what came into view, also where it hears late of a scroll', async () => {
    show(many(10_000))
    scrollTo(50_000)
    const seen = drawn()
    scrollTo(50_000)
    expect(drawn()).toEqual(seen)
    page.scroll = 50_500 // by a script in this frame: its event comes in the next
    act(() => {
      for (const report of page.resized) report([])
    })
    expect(drawn()).toContain('k1018')
    expect(drawn()).not.toContain('k1028')
    await waitFor(() => {
      expect(drawn()).toContain('k1028')
    })
  })

  it('draws what is beyond only once it stands still for longer than a frame', () => {
    vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame'] })
    const frame = (scrolled: number) => {
      page.scroll += scrolled
      if (scrolled > 0) fireEvent.scroll(document)
      act(() => {
        vi.advanceTimersToNextFrame()
      })
      return drawn().length
    }
    try {
      show(many(10_000))
      const first = frame(250_000)
      for (const scrolled of [0, 10, 0, 10, 10, 0, 10]) expect(frame(scrolled)).toBeLessThanOrEqual(first + 1)
      for (let frames = 0; frames < 3; frames++) frame(0)
      expect(drawn().length).toBeGreaterThan(first + 10)
    } finally {
      vi.useRealTimers()
    }
  })

  it('draws once in a frame, for where it stands in the end, however often it was scrolled', () => {
    const times = new Map<string, number>()
    render(
      <VirtualList label="Things" items={many(10_000)} keyOf={keyOf} estimate={50}>
        {(item) => {
          times.set(item.key, (times.get(item.key) ?? 0) + 1)
          return <i data-height={item.height}>{item.key}</i>
        }}
      </VirtualList>,
    )
    inAFrame(() => {
      for (page.scroll of [100_000, 200_000, 300_000]) fireEvent.scroll(document)
    })
    expect(drawn()).toContain('k6000')
    expect([2000, 4000, 6000].map((n) => times.get(`k${String(n)}`) ?? 0)).toEqual([0, 0, 1])
  })

  it('draws a row once while it is scrolled through', () => {
    const items = many(1000)
    const times = new Map<string, number>()
    render(
      <VirtualList label="Things" items={items} keyOf={keyOf} estimate={50}>
        {(item) => {
          times.set(item.key, (times.get(item.key) ?? 0) + 1)
          return <i data-height={item.height}>{item.key}</i>
        }}
      </VirtualList>,
    )
    for (let y = 0; y < 3000; y += 100) scrollTo(y)
    expect(times.size).toBeGreaterThan(50)
    expect([...times.values()].reduce((sum, n) => sum + n)).toBeLessThan(times.size + 15) // a few were drawn before it was known what is in view
  })

  it.each([
    ['as high as was thought', 50], ['less high', 20], ['higher', 140],
  ])('is laid out once for each step of a person who scrolls, where rows are %s', (_, height) => {
    show(many(10_000, height))
    scrollTo(30_000)
    const most: number[] = []
    for (let step = 1; step < 100; step++) {
      page.layouts = 0
      scrollTo(page.scroll + (step % 3 === 0 ? 6000 : 700))
      most.push(page.layouts)
    }
    expect(Math.max(...most)).toBe(1)
  })

  it('is as high as all its rows', () => {
    show(many(1000))
    const after = pixels(screen.getByRole('list').style.paddingBlockEnd)
    expect(after + drawn().length * 50).toBe(50_000)
  })

  it('follows the window when it grows', () => {
    show(many(1000))
    const before = drawn().length
    page.height = 2000
    act(() => {
      window.dispatchEvent(new Event('resize'))
    })
    expect(drawn().length).toBeGreaterThan(before + 20)
  })

  it('looks again when something above it goes', async () => {
    page.listAt = 5000
    show(many(1000))
    await waitFor(() => {
      expect(drawn()).not.toContain('k15')
    })
    page.listAt = 200
    act(() => {
      for (const report of page.resized) report([])
    })
    expect(drawn()).toContain('k9') // what is in view at once, and what is beyond once that was painted
    await waitFor(() => {
      expect(drawn()).toContain('k15')
    })
  })

  it('does not move what is in view when rows above turn out higher than thought', () => {
    show(many(1000).map((item, i) => (i > 100 && i < 480 ? { ...item, height: 90 } : item)))
    scrollTo(25_000) // to row 496: the rows before 480 were never measured
    const before = rectOf(row('k497')).top
    scrollTo(24_500)
    expect(rectOf(row('k497')).top).toBe(before + 500)
    expect(page.scroll).toBeGreaterThan(24_500) // as much as the rows above turned out higher
    scrollTo(page.scroll - 300)
    expect(rectOf(row('k490')).top).toBe(before + 800 - 350)
  })

  it('does not move what is in view when a row above it grows', () => {
    show(many(1000), { pinned: ['k90'] })
    scrollTo(5200)
    const before = rectOf(row('k105')).top
    const grown = row('k90')
    grown.querySelector('button')?.setAttribute('data-height', '250')
    act(() => {
      for (const report of page.resized) report([{ target: grown, borderBoxSize: [{ blockSize: 250 }] }])
    })
    expect(rectOf(row('k105')).top).toBe(before)
    expect(page.scroll).toBe(5400)
  })

  it('keeps its place when rows come in above', () => {
    const items = many(500)
    const again = show(items)
    scrollTo(5000)
    const before = rectOf(row('k100')).top
    again([...Array.from({ length: 7 }, (_, i) => ({ key: `new${String(i)}`, height: 50 })), ...items])
    expect(rectOf(row('k100')).top).toBe(before)
    expect(page.scroll).toBe(5350)
  })

  it('does not scroll away from its own beginning', () => {
    const items = many(500)
    const again = show(items)
    again([{ key: 'first', height: 50 }, ...items])
    expect(page.scroll).toBe(0)
  })

  it('keeps the row with the focus in view when one above it grows, and does not move when that row itself grows', () => {
    show(many(100))
    act(() => {
      screen.getByRole('button', { name: 'k6' }).focus()
    })
    const grow = (key: string, height: number) => {
      row(key).querySelector('button')?.setAttribute('data-height', String(height))
      act(() => {
        for (const report of page.resized) report([{ target: row(key), borderBoxSize: [{ blockSize: height }] }])
      })
    }
    grow('k6', 400)
    expect(page.scroll).toBe(0)
    grow('k6', 50)
    grow('k1', 80)
    expect(page.scroll).toBe(0) // it is in view still
    grow('k1', 250)
    expect(rectOf(row('k6')).bottom).toBe(page.height)
    scrollTo(3000)
    grow('k5', 300)
    expect(rectOf(row('k6')).bottom).toBeLessThan(0) // it was left by the person
  })

  it('keeps the focus, its neighbours and pinned rows drawn when they are scrolled away', () => {
    show(many(1000), { pinned: ['k700'] })
    act(() => {
      screen.getByRole('button', { name: 'k3' }).focus()
    })
    scrollTo(20_000)
    expect(drawn().slice(0, 3)).toEqual(['k2', 'k3', 'k4'])
    expect(drawn().at(-1)).toBe('k700')
    expect(document.activeElement?.textContent).toBe('k3')
    for (const key of ['k3', 'k400', 'k700']) expect(rectOf(row(key)).top).toBe(200 - 20_000 + 50 * Number(key.slice(1)))
    act(() => {
      screen.getByRole('button', { name: 'k400' }).focus()
    })
    expect(drawn()).not.toContain('k3')
  })

  it('keeps the row that the focus goes to, out of view as it is', () => {
    show(many(1000))
    act(() => {
      screen.getByRole('button', { name: 'k3' }).focus()
    })
    scrollTo(20_000)
    const [from, to] = [screen.getByRole('button', { name: 'k3' }), screen.getByRole('button', { name: 'k4' })]
    // As in a browser: while the focus moves, nothing has it.
    vi.spyOn(document, 'activeElement', 'get').mockReturnValue(document.body)
    fireEvent.focusOut(from, { relatedTarget: to })
    expect(drawn()).toContain('k4')
    fireEvent.focusOut(from, { relatedTarget: null })
    expect(drawn()).not.toContain('k4')
    vi.restoreAllMocks()
  })

  it('reveals a row however far away, and nothing for one that is not there', () => {
    const ref = createRef<VirtualListHandle>()
    show(many(1000), { ref })
    const into = vi.spyOn(Element.prototype, 'scrollIntoView')
    let shown: HTMLElement | null | undefined
    act(() => {
      shown = ref.current?.reveal('k800', 'nearest')
    })
    expect(shown).toBe(row('k800'))
    expect(into).toHaveBeenCalledWith({ block: 'nearest' })
    expect(rectOf(row('k800')).top).toBe(200 + 800 * 50)
    expect(ref.current?.reveal('nobody')).toBeNull()
  })

  it('says where something dropped would stand', () => {
    const ref = createRef<VirtualListHandle>()
    show(many(100), { ref })
    expect([-500, 0, 224, 226, 274, 276, 9e9].map((y) => ref.current?.placeAt(y))).toEqual([0, 0, 0, 1, 1, 2, 100])
  })

  it('scrolls with the element around it that scrolls, and takes no notice of others', () => {
    function Boxed() {
      const [items] = useState(() => many(1000))
      return (
        <>
          <div data-testid="other" />
          <div data-testid="box" className="box">
            <VirtualList label="Things" items={items} keyOf={keyOf} estimate={50}>
              {(item) => <i data-height={item.height}>{item.key}</i>}
            </VirtualList>
          </div>
        </>
      )
    }
    const style = document.createElement('style')
    style.textContent = '.box { overflow-y: auto }'
    document.head.append(style)
    page.listAt = 0
    render(<Boxed />)
    const box = screen.getByTestId('box')
    page.scroll = 30_000
    inAFrame(() => fireEvent.scroll(screen.getByTestId('other')))
    expect(drawn()).toContain('k0')
    inAFrame(() => fireEvent.scroll(box))
    expect(drawn()).toContain('k600')
    expect(drawn().length).toBeLessThan(30)
    style.remove()
  })
})

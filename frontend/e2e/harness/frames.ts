import type { Page } from 'playwright-core'

interface Frames {
  /** How long each took, in milliseconds. */
  took: number[]
  /** In how many there was no row to be seen. */
  blank: number
  /** The tasks of the page's main thread that took over 50 ms, each in milliseconds. */
  longTasks: number[]
  /** The place of the last row in view at the end: 1 is the first. */
  last: number
}

/** Scrolls a list of the page, a thousand pixels in each frame and then in great leaps, and looks in each frame whether rows are to be seen; in the end it goes to the last row. */
export function scrollThrough(page: Page): Promise<Frames> {
  return page.evaluate(async () => {
    const frames = { took: [] as number[], blank: 0, longTasks: [] as number[], last: 0 }
    const observer = new PerformanceObserver((tasks) => {
      frames.longTasks.push(...tasks.getEntries().map(({ duration }) => duration))
    })
    observer.observe({ type: 'longtask' })
    // Until a frame was painted: what scrolls then is seen in the next one, as a wheel's turn is.
    const frame = () => new Promise<number>((done) => requestAnimationFrame((at) => setTimeout(done, 0, at)))
    const root = document.documentElement
    root.scrollTop = 0
    await frame()
    let before = await frame()
    let way = 1
    for (let step = 0; step < 200; step++) {
      const stood = root.scrollTop
      root.scrollTop += way * (step < 120 ? 1000 : 6000)
      if (root.scrollTop === stood) way = -way // a short list is scrolled up and down
      const now = await frame()
      const seen = document.elementFromPoint(window.innerWidth * 0.7, window.innerHeight * 0.6)?.closest('main [data-key]')
      frames.took.push(now - before)
      if (!seen) frames.blank++
      before = now
    }
    frames.longTasks.push(...observer.takeRecords().map(({ duration }) => duration))
    observer.disconnect()
    root.scrollTop = root.scrollHeight
    await frame()
    await frame()
    root.scrollTop = root.scrollHeight
    await frame()
    const inView = [...document.querySelectorAll('main [aria-posinset]')].filter((row) => row.getBoundingClientRect().top < window.innerHeight && row.getBoundingClientRect().bottom > 0)
    frames.last = Math.max(...inView.map((row) => Number(row.getAttribute('aria-posinset'))))
    root.scrollTop = 0
    await frame()
    return frames
  })
}

/** The median. */
export function middle(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

import type { Page } from 'playwright-core'
import { screenLink } from './browser'
import type { Setting } from './fixtures'
import { percentile } from './arrival'
import { middle, scrollThrough } from './frames'
import { ask } from './operator'
import { until } from './wait'

/** What it took to look through many calls, in milliseconds. */
export interface ManyCalls {
  firstRows: number
  /** Of all pages on the way to the oldest call. */
  page: number
  frame: number
  /** Of which 95 of 100 frames are below. */
  mostFrames: number
  slowestFrame: number
  /** The longest task of the main thread while it is scrolled; 0 is none over 50 ms. */
  longestTask: number
  /** From the last letter of a search until the one call that it is about is listed: the newest, and the oldest of all. */
  findNewest: number
  findOldest: number
  blank: number
}

/** Asks for as many calls, which a rule denies, and looks through all of them: to the oldest, by scrolling, by searching. */
export async function lookThrough({ desk, agentToken }: Setting, page: Page, many: number): Promise<ManyCalls> {
  const asking = Array.from({ length: 32 }, async (_, from) => {
    for (let n = from; n < many; n += 32) await ask(desk.url, agentToken, `no_${String(n)}_`, { toolCallId: `many-${String(n)}`, input: { n } })
  })
  await Promise.all(asking)
  const rows = page.getByRole('treegrid', { name: 'Calls, newest first' }).locator('[aria-posinset]')
  const began = performance.now()
  await screenLink(page, 'Activity').click()
  await rows.first().waitFor()
  const firstRows = performance.now() - began
  const older = performance.now()
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    const more = () => [...document.querySelectorAll('main button')].some((button) => button.textContent === 'Load more')
    do {
      document.documentElement.scrollTop = document.documentElement.scrollHeight
      await frame()
    } while (more())
  })
  const toTheOldest = performance.now() - older
  const frames = await scrollThrough(page)
  if (frames.last !== many) throw new Error(`${String(frames.last)} of ${String(many)} calls are listed`)
  const find = async (n: number) => {
    const name = `no_${String(n)}_`
    await page.getByLabel('Search').fill(name.slice(0, -1))
    await until('calls like it', async () => (await rows.count()) > 0)
    const began = performance.now()
    await page.getByLabel('Search').press(name.slice(-1))
    await until('the call', async () => (await rows.count()) === 1 && (await rows.innerText()).includes(name))
    return performance.now() - began
  }
  return {
    firstRows,
    page: toTheOldest / Math.ceil(many / 100),
    frame: middle(frames.took),
    mostFrames: percentile(frames.took.toSorted((a, b) => a - b), 95),
    slowestFrame: Math.max(...frames.took),
    longestTask: Math.max(0, ...frames.longTasks),
    findNewest: await find(many - 1),
    findOldest: await find(0),
    blank: frames.blank,
  }
}

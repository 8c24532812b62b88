import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { choose } from './harness/choose'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp, type Setting } from './harness/fixtures'
import { scrollThrough } from './harness/frames'
import { ask } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

const denied = [{ toolPattern: 'no_*', effect: 'deny' }] as const

/** Asks for calls that a rule denies, so that none of them waits. */
async function denyMany({ desk, agentToken }: Setting, from: number, to: number): Promise<void> {
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let n = from + lane; n < to; n += 8) await ask(desk.url, agentToken, `no_${String(n)}_`)
  })
  await Promise.all(lanes)
}

const rows = (page: Page) => page.getByRole('treegrid', { name: 'Calls, newest first' }).locator('[aria-posinset]')

/** How many calls the list says that it has. */
const listed = async (page: Page) => Number(await rows(page).first().getAttribute('aria-setsize'))

/** Scrolls down until as many calls are listed, and no more are to be loaded. */
async function toTheEnd(page: Page, count: number): Promise<void> {
  const down = () =>
    page.evaluate(() => {
      document.documentElement.scrollTop = document.documentElement.scrollHeight
    })
  await until(`${String(count)} calls down to the oldest`, async () => {
    await down()
    return (await listed(page)) === count && (await page.getByRole('button', { name: 'Load more' }).count()) === 0
  }, 30_000)
  await down() // to what came with the last ones
}

/** The names of all listed calls, from the newest on, however few of them are drawn at a time. */
function names(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    const seen = new Map<number, string>()
    for (let top = 0; ; top += 600) {
      document.documentElement.scrollTop = top
      await frame()
      await frame()
      for (const row of document.querySelectorAll('main [aria-posinset]')) seen.set(Number(row.getAttribute('data-index')), /no_\d+_/.exec(row.textContent)?.[0] ?? '')
      if (top > document.documentElement.scrollHeight) break
    }
    return [...seen.entries()].sort(([a], [b]) => a - b).map(([, name]) => name)
  })
}

const newestFirst = (count: number) => Array.from({ length: count }, (_, i) => `no_${String(count - 1 - i)}_`)

test('no call falls out of the middle of the list while new ones come in', async () => {
  const setting = await setUp(denied)
  await denyMany(setting, 0, 250)
  const page = await openDeskPage(browser(), setting.desk)
  await screenLink(page, 'Activity').click()
  await rows(page).first().waitFor()
  await toTheEnd(page, 250)

  await denyMany(setting, 250, 251)
  await until('one more', async () => (await listed(page)) === 251)
  await denyMany(setting, 251, 311)
  await until('all of them', async () => (await listed(page)) === 311)
  expect([...(await names(page))].sort()).toEqual(newestFirst(311).sort())
})

test('more calls than a page holds come in while the page cannot ask: none is left out', async () => {
  const setting = await setUp(denied)
  await denyMany(setting, 0, 120)
  const page = await openDeskPage(browser(), setting.desk, { expected: /Failed to load resource|ERR_/ })
  await screenLink(page, 'Activity').click()
  await rows(page).first().waitFor()
  await toTheEnd(page, 120)
  await page.route('**/v1/calls?**', (route) => route.abort())
  await denyMany(setting, 120, 460)
  await page.unroute('**/v1/calls?**')
  await denyMany(setting, 460, 461)
  await toTheEnd(page, 461)
  expect((await scrollThrough(page)).last).toBe(461)
  expect([...(await names(page))].sort()).toEqual(newestFirst(461).sort())
})

test('an old call that is answered is told so, and comes into the list that it belongs to', async () => {
  const setting = await setUp([...denied, { effect: 'ask', priority: -1 }])
  const { desk, agentToken } = setting
  const old = await ask(desk.url, agentToken, 'launch')
  await denyMany(setting, 0, 130)
  const page = await openDeskPage(browser(), desk)
  await page.getByRole('button', { name: 'Later' }).click()
  await screenLink(page, 'Activity').click()
  await rows(page).first().waitFor()
  await toTheEnd(page, 131)
  const last = page.getByRole('treegrid', { name: 'Calls, newest first' }).locator('[aria-posinset="131"]')
  await last.getByText('Waiting').waitFor()
  await old.cancel()
  await last.getByText('Cancelled').waitFor()

  const older = await ask(desk.url, agentToken, 'land')
  await page.getByRole('button', { name: 'Later' }).click()
  await denyMany(setting, 130, 260)
  await choose(page.getByLabel('Show'), 'what was stopped')
  await toTheEnd(page, 261)
  await older.cancel()
  await until('one more', async () => (await listed(page)) === 262)
  expect((await names(page)).indexOf('')).toBe(130) // between the calls that came before it and after it
})

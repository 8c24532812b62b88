/** The screen of insights in a real desk: its numbers are those of the desk, drawn and in a table, and its note acts. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { startDesk, type Desk } from './harness/desk'
import { ask, request } from './harness/operator'
import { scratch } from './harness/paths'
import { languages, speak } from './harness/speak'
import { until } from './harness/wait'

const browser = aBrowser()

const place = scratch()
const data = join(place.path, 'data')
let desk: Desk
let agentToken: string

const rules = [
  { id: 'looking', serverId: 'rockets', toolPattern: 'look_*', effect: 'allow', priority: 50, note: 'αβγ' },
  { id: 'never', serverId: 'rockets', toolName: 'explode', effect: 'deny', priority: 40 },
  { effect: 'ask', priority: 0 },
] as const

/**
 * As if the work until now had been done some days ago, a part on each, the person had left six hours ago, and had
 * answered a third without reading: the counts of the desk that is closed are moved in its file.
 */
const movePast = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE counts SET kind = 'unread' WHERE kind = 'approved' AND of <> ''")
rows = db.execute("SELECT at, kind, of, calls FROM counts").fetchall()
db.execute("DELETE FROM counts")
for at, kind, of, calls in rows:
    for day in range(1, 5):
        db.execute("INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls", (at - day * 86400000, kind, of, calls * day))
db.execute("UPDATE presence SET seen_at = CAST(unixepoch('now') * 1000 - 6 * 3600000 AS INTEGER)")
db.commit()
`

async function answered(tool: string, answer: Record<string, unknown>): Promise<void> {
  const { id } = await ask(desk.url, agentToken, tool, { input: { text: 'one two three' } })
  await desk.answer(await desk.call(id), { remember: false, ...answer })
}

beforeAll(async () => {
  mkdirSync(place.path, { recursive: true })
  desk = await startDesk(data)
  await desk.putRules(rules)
  agentToken = await desk.createAgent('scribe')
  for (let n = 0; n < 6; n++) await ask(desk.url, agentToken, 'look_up', { input: { n } })
  for (let n = 0; n < 4; n++) await answered('paint', { approved: true })
  await answered('refuel', { approved: false, reason: 'no' })
  await desk.process.end()
  execFileSync('/usr/bin/python3', ['-c', movePast, join(data, 'sekisho.db')])
  desk = await startDesk(data)
  // While nobody is there:
  for (let n = 0; n < 3; n++) await ask(desk.url, agentToken, 'look_up', { input: { n } })
  await ask(desk.url, agentToken, 'explode')
  await answered('paint', { approved: true })
  await answered('refuel', { approved: false, reason: 'no' })
  const late = await ask(desk.url, agentToken, 'land', { timeoutSeconds: 0.2 })
  await until('the end of its time', async () => (await desk.call(late.id)).status === 'expired')
  await (await ask(desk.url, agentToken, 'orbit')).cancel()
}, 60_000)

afterAll(async () => {
  await desk.process.end()
  place.remove()
})

interface Bucket {
  from: string
  calls: number
  questions: number
  allowed: number
  granted: number
  denied: number
  repeated: number
  approved: number
  declined: number
  expired: number
  cancelled: number
  settled: number
  unread: number
  medianMs: number | null
}

interface Report {
  inDoubt: number
  total: Bucket
  buckets: Bucket[]
  rules: { ruleId: string; calls: number }[]
  fatigue: string[]
}

async function report(from: string, to: string, bucket: 'hour' | 'day'): Promise<Report> {
  const { status, body } = await request(desk.url, desk.token, 'GET', `/v1/insights?${new URLSearchParams({ from, to, bucket, zone: 'UTC' }).toString()}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Report
}

async function open(): Promise<Page> {
  const page = await openDeskPage(browser(), desk, { viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' })
  await page.evaluate(() => {
    location.hash = '#/insights'
  })
  await page.locator('figure').first().waitFor()
  return page
}

/** The first day that a week shows which ends today. */
function weekBegin(): string {
  const from = new Date()
  from.setUTCHours(0, 0, 0, 0)
  from.setUTCDate(from.getUTCDate() - 6)
  return from.toISOString()
}

test('since the person was here, and over the week, the numbers are those of the desk, in figures, bars and the table, with room for them', async () => {
  const page = await open()
  const { body } = await request(desk.url, desk.token, 'POST', '/v1/presence', {})
  const away = body.away as { from: string; to: string }
  expect(Date.parse(away.to) - Date.parse(away.from)).toBeGreaterThan(5 * 3600_000)
  const absent = await report(away.from, away.to, 'hour')
  expect(absent.total).toMatchObject({ questions: 4, approved: 1, declined: 1, expired: 1, cancelled: 1, allowed: 3, denied: 1 })
  const section = page.getByRole('region', { name: 'While you were away' })
  await section.getByRole('term').first().waitFor()
  const figures = await section.locator('dl > div').allInnerTexts()
  const { total } = absent
  const wanted = [total.questions, total.approved, total.declined, total.expired, total.cancelled + total.settled, total.allowed + total.granted, total.denied + total.repeated, absent.inDoubt]
  expect(figures.map((text) => Number(/\d+/.exec(text)?.[0]))).toEqual(wanted)
  expect(await section.getByRole('listitem').allInnerTexts()).toEqual(['αβγ: 3 calls'])

  const week = await report(weekBegin(), new Date().toISOString(), 'day')
  const busy = week.buckets.filter(({ calls }) => calls > 0)
  expect(busy.length).toBeGreaterThanOrEqual(5)
  const table = page.getByRole('region', { name: 'The numbers of the charts' })
  const rows = await table.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))
  const line = (b: Bucket) => [b.calls, b.questions, Math.round((100 * b.questions) / b.calls), b.approved, b.declined, b.expired].map(String)
  expect(rows.map((row) => row.slice(0, 6))).toEqual(busy.toReversed().map(line))
  expect(rows.map((row) => row.at(-1))).toEqual(busy.toReversed().map(({ unread }) => String(unread)))

  // The bars are as high as the numbers say, each against the highest of its chart.
  const bars = await page.locator('figure svg').evaluateAll((all) => all.map((svg) => [...svg.querySelectorAll('rect')].map((bar) => bar.getBoundingClientRect().height)))
  expect(bars).toHaveLength(3)
  for (const [at, values] of [[0, week.buckets.map(({ calls, questions }) => (calls === 0 ? 0 : questions / calls))], [2, week.buckets.map(({ unread }) => unread)]] as const) {
    const heights = bars[at] ?? []
    const [most, highest] = [Math.max(...values), Math.max(...heights)]
    expect(highest).toBeGreaterThan(50)
    expect(heights).toHaveLength(values.length)
    for (const [n, value] of values.entries()) expect((heights[n] ?? 0) / highest, `bar ${String(n)} of chart ${String(at)}`).toBeCloseTo(value / most, 1)
  }

  // In each language it fits a small window, also what was while nobody was there.
  for (const language of languages) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await speak(page, language)
    await page.locator('main dt').first().waitFor()
    await page.setViewportSize({ width: 560, height: 420 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), language).toBeLessThanOrEqual(560)
  }
})

test('where questions tire, it says so, and a break keeps what waits from view', async () => {
  const week = await report(weekBegin(), new Date().toISOString(), 'day')
  expect(week.fatigue).toEqual(['many', 'unread'])
  const page = await open()
  const note = page.getByRole('region', { name: 'Over time' }).getByRole('status')
  await note.getByText(`${String(week.total.questions)} questions for ${String(week.total.calls)} calls: that is a lot.`).waitFor()

  const pause = page.getByRole('button', { name: 'Pause 15 minutes' })
  await pause.focus()
  await page.keyboard.press('Enter')
  const end = page.getByRole('button', { name: 'End the break' })
  await end.waitFor()
  await until('the focus to be on what ends it', () => end.evaluate((button) => button === document.activeElement))
  await page.getByText(/^Break until .*: nothing disturbs you/).waitFor()
  const { id } = await ask(desk.url, agentToken, 'dock')
  await page.getByText('Do not disturb: 1 call waits').waitFor()
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog', { name: /dock/ }).waitFor()
  expect((await desk.call(id)).status).toBe('pending')
  await desk.decide(await desk.call(id), false)
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await pause.waitFor()
})

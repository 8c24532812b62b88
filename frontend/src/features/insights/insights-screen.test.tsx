import axe from 'axe-core'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { noCalls } from '../../desk/fake-state'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { sampleCoverage, sampleRule } from '../../test/samples'
import { InsightsScreen } from './insights-screen'

const past = { maxRisk: 'low', calls: 0, approved: 0, declined: 0, allowed: 0, other: 0, first: null, last: null } as const

let desk: FakeDesk

/** What is seen of a section, by its heading. */
const part = async (name: string) => within(await screen.findByRole('region', { name }))

/** What the desk is asked to count. */
function queries(desk: FakeDesk): () => unknown[] {
  const asked: unknown[] = []
  const open = desk.insights.bind(desk)
  desk.insights = async () => {
    const rows = await open()
    return { ...rows, count: (query) => (asked.push(query), rows.count(query)) }
  }
  return () => asked
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = [sampleRule({ id: 'r1', note: '', toolName: 'read\u202etxt' })]
  const total = { ...noCalls, calls: 200, questions: 80, allowed: 110, granted: 10, approved: 60, declined: 15, expired: 5, unread: 40, medianMs: 2500 }
  const busy = { ...total, from: '2026-01-05T00:00:00.000Z', to: '2026-01-06T00:00:00.000Z' }
  desk.insightsNow = { since: '2026-01-01T00:00:00.000Z', inDoubt: 2, total, buckets: [noCalls, busy], rules: [{ ruleId: 'r1', calls: 108 }, { ruleId: 'gone', calls: 2 }], fatigue: [] }
})

describe('insights', () => {
  it('tell what happened while nobody was here', async () => {
    desk.awayNow = { from: '2026-01-05T10:00:00.000Z', to: '2026-01-05T12:00:00.000Z' }
    renderAt(desk, <InsightsScreen />)
    const away = await part('While you were away')
    await away.findByText('In doubt now')
    const figures = away.getAllByRole('term').map((term) => `${term.textContent}: ${term.nextElementSibling?.textContent ?? ''}`)
    expect(figures).toEqual(['Asked: 80', 'Approved: 60', 'Declined: 15', 'Expired unanswered: 5', 'Settled otherwise: 0', 'Allowed at once: 120', 'Refused at once: 0', 'In doubt now: 2'])
    await away.findByRole('link', { name: /^read.*txt$/ })
    expect(away.getAllByRole('listitem').map((item) => item.textContent)).toEqual([expect.stringContaining('U+202E'), 'a rule that is gone: 2 calls'])
  })

  it('say that nobody was away only once the desk has said so', async () => {
    desk.failures.set('insights', new DeskError({ code: 'unavailable', message: '' }))
    const { unmount } = renderAt(desk, <InsightsScreen />)
    expect(screen.queryByText(/You have not been away/)).toBeNull()
    const away = await part('While you were away')
    await away.findByRole('alert')
    expect(away.queryByText(/You have not been away/)).toBeNull()
    expect(screen.queryByRole('button', { name: /^Pause/ })).toBeNull()
    unmount()
    desk.failures.clear()
    renderAt(desk, <InsightsScreen />)
    await screen.findByText('You have not been away for five minutes or more since the desk keeps count.')
  })

  it('have every number of the charts in a table, the newest first, without stretches in which nothing was', async () => {
    renderAt(desk, <InsightsScreen />)
    const rows = within(await screen.findByRole('region', { name: 'The numbers of the charts' })).getAllByRole('row')
    expect(rows.slice(1).map((row) => [...row.children].slice(1).map((cell) => cell.textContent))).toEqual(Array(2).fill(['200', '80', '40', '60', '15', '5', '2.5 sec', '40']))
    const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } })
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })

  it('tell the hours of two days apart', async () => {
    desk.insightsNow.buckets = ['2026-01-05T12:00:00.000Z', '2026-01-06T12:00:00.000Z'].map((from) => ({ ...noCalls, from, calls: 1 }))
    renderAt(desk, <InsightsScreen />)
    await choose(await screen.findByRole('combobox', { name: 'Show' }), 'the last 24 hours')
    const table = within(await screen.findByRole('region', { name: 'The numbers of the charts' }))
    const [first, second] = table.getAllByRole('rowheader').map((head) => head.textContent)
    expect(first).not.toBe(second)
  })

  it('tell an hour apart that the clocks show twice', async () => {
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ timeZone: 'Europe/Berlin' } as Intl.ResolvedDateTimeFormatOptions)
    desk.insightsNow.buckets = ['2026-10-24T23:00:00.000Z', '2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'].map((from) => ({ ...noCalls, from, calls: 1 }))
    renderAt(desk, <InsightsScreen />)
    await choose(await screen.findByRole('combobox', { name: 'Show' }), 'the last 24 hours')
    const table = within(await screen.findByRole('region', { name: 'The numbers of the charts' }))
    const names = table.getAllByRole('rowheader').map((head) => head.textContent)
    expect(names).toEqual([expect.stringMatching(/^Sun,? 02:00 AM GMT\+1$/), expect.stringMatching(/^Sun,? 02:00 AM GMT\+2$/), expect.stringMatching(/^Sun,? 01:00 AM$/), 'Total'])
  })

  it('name the days of the zone that the desk counts by', async () => {
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ timeZone: 'Pacific/Kiritimati' } as Intl.ResolvedDateTimeFormatOptions)
    desk.insightsNow.buckets = [{ ...noCalls, from: '2026-01-05T10:00:00.000Z', calls: 1 }]
    renderAt(desk, <InsightsScreen />)
    const table = within(await screen.findByRole('region', { name: 'The numbers of the charts' }))
    expect(table.getAllByRole('rowheader')[0]?.textContent).toBe('Jan 6')
  })

  it('show answers to calls of before, too', async () => {
    desk.insightsNow.total = { ...noCalls, declined: 2 }
    renderAt(desk, <InsightsScreen />)
    const table = within(await screen.findByRole('region', { name: 'The numbers of the charts' }))
    expect(table.getAllByRole('row').at(-1)?.textContent).toBe('Total00–020–0')
    expect(screen.queryByText('No calls in this time.')).toBeNull()
  })

  it('of the last 24 hours go on with the clock on a screen that stays open', async () => {
    vi.useFakeTimers({ now: new Date('2026-01-05T10:30:00.000Z'), shouldAdvanceTime: true })
    const asked = queries(desk)
    renderAt(desk, <InsightsScreen />)
    await choose(await screen.findByRole('combobox', { name: 'Show' }), 'the last 24 hours')
    await waitFor(() => {
      expect(asked().at(-1)).toMatchObject({ from: '2026-01-04T10:00:00.000Z', bucket: 'hour' })
    })
    await act(() => vi.advanceTimersByTimeAsync(3 * 3600_000))
    await waitFor(() => {
      expect(asked().at(-1)).toMatchObject({ from: '2026-01-04T13:00:00.000Z', bucket: 'hour' })
    })
  })

  it('tell where questions tire, and the rule that would have saved most of them', async () => {
    desk.insightsNow.fatigue = ['many', 'unread']
    desk.armingNow = { ms: 2100, highMs: 4500, until: new Date(Date.now() + 600_000).toISOString() }
    desk.suggested = [3, 30].map((answers) => ({ rule: { ...sampleRule({}), condition: null }, answers, approvals: answers, past, covers: sampleCoverage({ serverId: 'shell', toolName: `tool_${String(answers)}` }), choices: [] }) as never)
    renderAt(desk, <InsightsScreen />)
    await screen.findByText(/A rule for/)
    const note = (await part('Over time')).getByRole('status').textContent
    expect(note).toContain('80 questions for 200 calls: that is a lot.')
    expect(note).toContain('40 of 75 answers came faster than the input could be read.')
    expect(note).toContain('Approve takes three times as long')
    expect(note).toMatch(/tool_30 .*would have saved 30 questions/)
    expect(screen.getByRole('link', { name: 'Look at the rule' }).getAttribute('href')).toBe('#/rules?suggestions=1')
  })

  it('begin a break and end it', async () => {
    renderAt(desk, <InsightsScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Pause 15 minutes' }))
    await screen.findByText(/^Break until/)
    expect(desk.pausedUntil).not.toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'End the break' }))
    await screen.findByRole('button', { name: 'Pause 60 minutes' })
    expect(desk.pausedUntil).toBeNull()
  })
})

describe('insights in each state', () => {
  const numbers = 'The numbers of the charts'

  it('of a desk on which nothing was yet say so, and draw and offer nothing', async () => {
    desk.insightsNow = { since: null, inDoubt: 0, total: noCalls, buckets: [noCalls], rules: [], fatigue: [] }
    const { container } = renderAt(desk, <InsightsScreen />)
    await screen.findByText('No calls in this time.')
    expect(screen.queryByText(/^Counted since/)).toBeNull()
    expect(screen.queryByRole('region', { name: numbers })).toBeNull()
    expect(container.querySelector('svg rect, figure')).toBeNull()
    expect((await part('Over time')).queryByRole('status')).toBeNull()
  })

  it('of much are written with the separators of the language, each bar against the highest, and at most five rules', async () => {
    const day = (n: number, calls: number) => ({ ...noCalls, from: new Date(Date.UTC(2026, 0, n)).toISOString(), calls, questions: calls / 2, medianMs: n * 60_000 })
    desk.insightsNow.buckets = Array.from({ length: 30 }, (_, n) => day(n + 1, (n + 1) * 1_000))
    desk.insightsNow.total = { ...noCalls, calls: 465_000, questions: 232_500, approved: 1_234_567, medianMs: 5_400_000 }
    desk.insightsNow.rules = Array.from({ length: 9 }, (_, n) => ({ ruleId: `gone ${String(n)}`, calls: 9 - n }))
    desk.awayNow = { from: '2026-01-05T10:00:00.000Z', to: '2026-03-05T12:00:00.000Z' }
    const { container } = renderAt(desk, <InsightsScreen />)
    const table = within(await screen.findByRole('region', { name: numbers }))
    expect(table.getAllByRole('row')).toHaveLength(32)
    expect(table.getAllByRole('row').at(-1)?.textContent).toBe('Total465,000232,500501,234,567001.5 hr0')
    expect((await part('While you were away')).getAllByRole('listitem')).toHaveLength(5)
    const charts = [...container.querySelectorAll('svg')].filter((svg) => svg.querySelector('rect'))
    const heights = charts.map((svg) => [...svg.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('height'))))
    expect(heights[0]).toEqual(Array(30).fill(72))
    expect(heights[1]?.map(Math.round)).toEqual(Array.from({ length: 30 }, (_, n) => Math.round((72 * (n + 1)) / 30)))
    expect(heights[2]).toEqual(Array(30).fill(0))
    for (const svg of charts) expect(svg.closest('[aria-hidden=true]')).not.toBeNull() // the table says it
  })

  it('that could not be counted say why in each part, and show numbers once they can', async () => {
    desk.awayNow = { from: '2026-01-05T10:00:00.000Z', to: '2026-01-05T12:00:00.000Z' }
    desk.failures.set('insights', new DeskError({ code: 'unavailable', message: '' }))
    const { unmount } = renderAt(desk, <InsightsScreen />)
    for (const name of ['While you were away', 'Over time']) {
      const alert = await (await part(name)).findByRole('alert')
      expect(alert.textContent).toBe('The desk is closing or busy. Try again.')
    }
    expect(screen.queryByText('No calls in this time.')).toBeNull()
    expect(screen.queryByRole('region', { name: numbers })).toBeNull()
    unmount()
    desk.failures.clear()
    renderAt(desk, <InsightsScreen />)
    await screen.findByRole('region', { name: numbers })
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('while a break runs offer only its end, also where it was begun elsewhere', async () => {
    desk.pausedUntil = new Date(Date.now() + 600_000).toISOString()
    renderAt(desk, <InsightsScreen />)
    await screen.findByText(/^Break until/)
    expect(screen.queryByRole('button', { name: /^Pause/ })).toBeNull()
    expect(document.activeElement).toBe(document.body) // nobody pressed anything here
  })

  it('offer a break again once the last one is over', async () => {
    desk.pausedUntil = new Date(Date.now() - 1).toISOString()
    renderAt(desk, <InsightsScreen />)
    await screen.findByRole('button', { name: 'Pause 15 minutes' })
    expect(screen.queryByText(/^Break until/)).toBeNull()
  })

  it('keep the focus where a break begins and ends', async () => {
    renderAt(desk, <InsightsScreen />)
    const pause = await screen.findByRole('button', { name: 'Pause 60 minutes' })
    pause.focus()
    fireEvent.click(pause)
    const end = await screen.findByRole('button', { name: 'End the break' })
    expect(document.activeElement).toBe(end)
    await waitFor(() => {
      expect(end.getAttribute('aria-disabled')).toBe('false')
    })
    fireEvent.click(end)
    const again = await screen.findByRole('button', { name: 'Pause 15 minutes' })
    expect(document.activeElement).toBe(again)
  })
})

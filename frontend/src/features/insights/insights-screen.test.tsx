import axe from 'axe-core'
import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
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

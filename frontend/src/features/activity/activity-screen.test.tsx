import { act, fireEvent, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { sampleCall } from '../../test/samples'
import { ActivityScreen } from './activity-screen'
import { joined } from './use-activity'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()

describe('the activity screen', () => {
  it('lists calls newest first, with who decided and why', async () => {
    desk.put(sampleCall({ id: 'old', toolName: 'first', createdAt: at(1), status: 'completed', decision: { by: 'rule', approved: true, reason: 'it reads', ruleId: 'rule-7', decidedAt: at(1) } }))
    desk.put(sampleCall({ id: 'new', toolName: 'second', createdAt: at(2), status: 'declined', decision: { by: 'person', approved: false, reason: 'not now', ruleId: null, decidedAt: at(2) } }))
    renderAt(desk, <ActivityScreen />)
    const rows = await screen.findAllByRole('listitem')
    expect(rows.map((row) => row.textContent)).toEqual([expect.stringMatching(/Declined.*second.*a person.*not now/), expect.stringMatching(/Completed.*first.*a rule.*rule-7.*it reads/)])
  })

  it('loads more, and tells each call once', async () => {
    for (let n = 0; n < 45; n++) desk.put(sampleCall({ id: `c${String(n).padStart(2, '0')}`, createdAt: at(n) }))
    renderAt(desk, <ActivityScreen />)
    expect(await screen.findAllByRole('listitem')).toHaveLength(20)
    act(() => {
      desk.put(sampleCall({ id: 'c99', createdAt: at(99) })) // moves a row over to the next page
    })
    fireEvent.click(screen.getByRole('button', { name: 'Load more' }))
    await screen.findByText((_, element) => element?.tagName === 'OL' && element.children.length === 40)
    fireEvent.click(screen.getByRole('button', { name: 'Load more' }))
    await screen.findByText((_, element) => element?.tagName === 'OL' && element.children.length === 46)
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  })

  it('shows the raw input when it is asked for', async () => {
    desk.put(sampleCall({ status: 'completed' }), '{"n":9007199254740993}')
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('Input')
    expect(document.body.textContent).not.toContain('9007199254740993')
    const details = document.querySelector('details')
    if (!details) throw new Error('no details')
    details.open = true
    fireEvent(details, new Event('toggle'))
    await screen.findByText('9007199254740993')
  })
})

describe('joined', () => {
  it('keeps the newest row of a call', () => {
    const old = sampleCall({ id: 'a', rev: 1 })
    const now = sampleCall({ id: 'a', rev: 2, status: 'approved' })
    expect(joined([old], [now])).toEqual([now])
    expect(joined([now], [old])).toEqual([now])
  })
})

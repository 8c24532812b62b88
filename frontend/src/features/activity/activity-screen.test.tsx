import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { sampleCall, sampleDecision, sampleSession, sampleTask } from '../../test/samples'
import { ActivityScreen } from './activity-screen'
import { choose } from '../../test/choose'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

const unfold = () => {
  fireEvent.click(screen.getByRole('button', { name: 'Input' }))
}

/** The rows of calls: not the headings. */
const rowsNow = () => screen.queryAllByRole('row').filter((row) => row.getAttribute('aria-level') === '2')
const findRows = async () => {
  await screen.findAllByRole('row')
  return rowsNow()
}

/** Waits until the list has so many rows, drawn or not. */
const listed = (count: number) =>
  waitFor(() => {
    expect(rowsNow()[0]?.getAttribute('aria-setsize')).toBe(String(count))
  })

const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()

describe('the activity screen', () => {
  it('lists calls newest first, with who decided and why', async () => {
    desk.put(sampleCall({ id: 'old', toolName: 'first', createdAt: at(1), status: 'completed', decision: sampleDecision({ by: 'rule', reason: 'it reads', ruleId: 'rule-7' }) }))
    desk.put(sampleCall({ id: 'new', toolName: 'second', agentSubagent: 'Explore', createdAt: at(2), status: 'declined', decision: sampleDecision({ approved: false, reason: 'not now' }) }))
    renderAt(desk, <ActivityScreen />)
    const rows = await findRows()
    expect(rows.map((row) => row.textContent)).toEqual([expect.stringMatching(/second.* › Explore.*a person.*not now.*Declined/), expect.stringMatching(/first.*a rule.*rule-7.*it reads.*Completed/)])
  })

  it('shows the parts of a line, each with its rule', async () => {
    const rule = { id: 'git', priority: 1 }
    const parts = [
      { name: 'cd', decision: 'allow' as const, rule: null }, { name: 'git log', decision: 'allow' as const, rule }, { name: '', decision: 'ask' as const, rule: null },
    ]
    desk.put(sampleCall({ id: 'a', createdAt: at(1), why: { rule: null, code: 'no_rule', params: {}, reason: 'no rule applies', parts } }))
    renderAt(desk, <ActivityScreen />)
    const list = await screen.findByRole('list', { name: 'Parts of the line' })
    expect([...list.children].map((part) => part.textContent)).toEqual([
      'cd · Allow · needs no rule', 'git log · Allow · rule git', 'a program that is not known before it runs · Ask · no rule decides',
    ])
  })

  it('says how far an answer reached, that it was remembered, and what a person made of the input', async () => {
    desk.put(sampleCall({ id: 'a', createdAt: at(1), status: 'approved', decision: sampleDecision({ by: 'grant', scope: 'class', grantId: 'grant-1' }) }))
    desk.put(sampleCall({ id: 'b', createdAt: at(2), status: 'declined', decision: sampleDecision({ approved: false, reason: 'no', remembered: 'old', count: 2 }) }))
    desk.put(sampleCall({ id: 'c', createdAt: at(3), status: 'completed', original: { inputHash: 'sha256:asked' }, decision: sampleDecision({ scope: 'session' }) }))
    desk.put(sampleCall({ id: 'd', createdAt: at(4), status: 'revoked', decision: sampleDecision({ by: 'guard', approved: false }) }))
    desk.put(sampleCall({ id: 'e', createdAt: at(5), status: 'completed', decision: sampleDecision({ remembered: 'asked', count: 1 }) }))
    renderAt(desk, <ActivityScreen />)
    const rows = (await findRows()).map((row) => row.textContent)
    expect(rows).toEqual([
      expect.stringMatching(/a person.*Round 2 of a call that was approved/),
      expect.stringMatching(/a guard.*Revoked/),
      expect.stringMatching(/a person.*For the whole session.*A person edited the input/),
      expect.stringMatching(/a person.*Declined as before, 2 times so far.*no/),
      expect.stringMatching(/an earlier answer.*For calls of this kind in the session/),
    ])
    expect(rows.filter((text) => text?.includes('edited'))).toHaveLength(1)
    expect(rows.filter((text) => text?.includes('as before'))).toHaveLength(1)
  })

  it('folds readings of the same that nobody was asked about, and shows each when asked', async () => {
    const byRule = sampleDecision({ by: 'rule' })
    const reading = (n: number, part = {}) => {
      desk.put(sampleCall({ id: `r${String(n).padStart(2, '0')}`, createdAt: at(n), method: 'resources/read', toolName: 'file:///log', inputHash: 'sha256:same', status: 'completed', decision: byRule, ...part }))
    }
    reading(1)
    desk.put(sampleCall({ id: 'r02', createdAt: at(2), toolName: 'write_file', status: 'completed', decision: byRule }))
    reading(3)
    reading(4, { toolName: 'file:///other' })
    reading(5)
    reading(6, { agentId: 'agent-2' })
    reading(7)
    reading(8, { status: 'failed' })
    reading(9, { decision: sampleDecision() })
    renderAt(desk, <ActivityScreen />)
    await listed(7)
    const rows = rowsNow().map((row) => row.textContent)
    expect(rows.filter((text) => text?.includes('Read 2 times more'))).toEqual([expect.stringContaining('file:///log')])
    expect(rows.filter((text) => text?.includes('more since'))).toHaveLength(1)
    const row = screen.getByText(/Read 2 times more/).closest('[role="row"]')
    if (!(row instanceof HTMLElement)) throw new Error('no row')
    fireEvent.click(within(row).getByRole('button', { name: 'Input' }))
    expect(row.querySelectorAll('[data-below] li')).toHaveLength(2)
    reading(10)
    reading(11)
    await screen.findByText(/Read 1 time more/)
    expect(screen.getByText(/Read 2 times more/).closest('[role="row"]')?.getAttribute('aria-expanded')).toBe('true') // it is the same row still
  })

  it('loads more, and tells each call once', async () => {
    for (let n = 0; n < 45; n++) desk.put(sampleCall({ id: `c${String(n).padStart(2, '0')}`, createdAt: at(n) }))
    const observe = vi.spyOn(IntersectionObserver.prototype, 'observe').mockImplementation(() => undefined)
    renderAt(desk, <ActivityScreen />)
    await listed(20)
    act(() => {
      desk.put(sampleCall({ id: 'c99', createdAt: at(99) })) // moves a row over to the next page
    })
    fireEvent.click(screen.getByRole('button', { name: 'Load more' }))
    await listed(40)
    fireEvent.click(screen.getByRole('button', { name: 'Load more' }))
    await listed(46)
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
    observe.mockRestore()
  })

  it('loads older calls as they come into view', async () => {
    for (let n = 0; n < 45; n++) desk.put(sampleCall({ id: `c${String(n).padStart(2, '0')}`, createdAt: at(n) }))
    renderAt(desk, <ActivityScreen />)
    await listed(45)
  })

  it('finds calls by their names and by what became of them', async () => {
    desk.put(sampleCall({ id: 'a', toolName: 'read_file', status: 'completed', createdAt: at(1) }))
    desk.put(sampleCall({ id: 'b', toolName: 'send_mail', status: 'declined', createdAt: at(2) }))
    desk.put(sampleCall({ id: 'c', toolName: 'send_fax', status: 'completed', createdAt: at(3) }))
    renderAt(desk, <ActivityScreen />)
    await listed(3)
    fireEvent.keyDown(document.body, { key: '/' })
    const search = screen.getByLabelText('Search')
    expect(document.activeElement).toBe(search)
    fireEvent.change(search, { target: { value: 'SEND' } })
    await listed(2)
    await choose(screen.getByLabelText('Show'), 'what was stopped')
    await listed(1)
    expect(screen.getByText('send_mail')).toBeTruthy()
    fireEvent.change(search, { target: { value: 'nothing like it' } })
    await screen.findByText('No call is like this.')
  })

  it('says how long a decision took, and leads to why it fell so', async () => {
    desk.put(sampleCall({ createdAt: at(0), status: 'completed', decision: sampleDecision({ decidedAt: at(4) }) }))
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('decided after 4 sec')
    expect(screen.getByRole('link', { name: 'Why was write_file decided so?' }).getAttribute('href')).toBe('#/rules?test=call-1')
  })

  it('says what an agent is in its session, and leads to the task for which it asks', async () => {
    desk.sessionList = [sampleSession]
    desk.taskList = [sampleTask]
    desk.put(sampleCall({ agentId: 'a', sessionId: 's', status: 'completed' }))
    renderAt(desk, <ActivityScreen />)
    const link = await screen.findByRole('link', { name: 'worker, task: Write the note' })
    expect(link.getAttribute('href')).toBe('#/work?project=site&task=t-1')
  })

  it('saves the whole journal, an entry a line', async () => {
    desk.put(sampleCall({ id: 'a' }))
    desk.put(sampleCall({ id: 'b' }))
    renderAt(desk, <ActivityScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Export the journal' }))
    await waitFor(() => {
      expect(desk.saved).toHaveLength(1)
    })
    expect(desk.saved[0]?.name).toBe('sekisho-journal.jsonl')
    expect(desk.saved[0]?.text.split('\n')).toEqual([expect.stringContaining('"callId":"a"'), expect.stringContaining('"callId":"b"'), ''])
    desk.failures.set('journal', new DeskError({ code: 'unreachable', message: '' }))
    fireEvent.click(screen.getByRole('button', { name: 'Export the journal' }))
    await screen.findByText('The desk does not answer. Nothing was changed.')
  })

  it('shows the raw input when it is asked for', async () => {
    desk.put(sampleCall({ status: 'completed' }), '{"n":9007199254740993}')
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('Input')
    expect(document.body.textContent).not.toContain('9007199254740993')
    unfold()
    await screen.findByText('9007199254740993')
  })

  it('says that an input was removed, also while one looks, and which hash stays', async () => {
    desk.put(sampleCall({ status: 'completed' }), '{"secret":"gone"}')
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('Input')
    unfold()
    await screen.findByText('"gone"')
    act(() => {
      desk.kept = [sampleCall({ rev: 2, status: 'completed', inputWiped: true })]
      desk.failures.set('input', new DeskError({ code: 'not_found', message: 'removed' }))
      desk.hint('inputs.wiped')
    })
    await screen.findByText('The input was removed. Its hash stays: sha256:call-1')
    expect(document.body.textContent).not.toContain('gone')
  })

  it('shows both hashes of an edited input', async () => {
    desk.put(sampleCall({ status: 'completed', original: { inputHash: 'sha256:asked' } }), '{"n":1}')
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('Input')
    unfold()
    await screen.findByText('What the agent asked for: sha256:asked')
    expect(screen.getByText('What the person made of it: sha256:call-1')).toBeTruthy()
  })

  it.each(['grants.changed', 'settings.changed', 'journal.trimmed', 'nobody.knows', ''])('lives with the event %j', async (kind) => {
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('No calls yet')
    act(() => {
      desk.hint(kind)
      desk.put(sampleCall({ toolName: 'after' }))
    })
    await screen.findByText('after')
  })
})

describe('a call in doubt', () => {
  const doubt = () => sampleCall({ status: 'in_doubt', decision: sampleDecision() })

  it.each([
    ['Run again: write_file', 'Approved', 'approved'],
    ['Close: write_file', 'Failed', 'failed'],
  ])('is settled by the button %j', async (name, word, status) => {
    desk.put(doubt())
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('In doubt')
    expect(screen.getByText(/no answer came back/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name }))
    await screen.findByText(word)
    expect(desk.kept[0]?.status).toBe(status)
    expect(screen.queryByRole('button', { name })).toBeNull()
  })

  it('is told of a conflict, and shown as it stands', async () => {
    desk.put(doubt())
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('In doubt')
    desk.kept = [{ ...doubt(), rev: 2, status: 'completed' }] // its answer came late, and the page was not told
    fireEvent.click(screen.getByRole('button', { name: /^Run again/ }))
    expect((await screen.findByRole('alert')).textContent).toBe('This call is no longer in doubt. Nothing was changed.')
    expect(screen.getByText('Completed')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /^Run again/ })).toBeNull()
  })

  it('stays in doubt when the desk does not answer, and says so', async () => {
    desk.put(doubt())
    renderAt(desk, <ActivityScreen />)
    await screen.findByText('In doubt')
    desk.failures.set('resolve', new DeskError({ code: 'unreachable', message: '' }))
    fireEvent.click(screen.getByRole('button', { name: /^Close/ }))
    await screen.findByText('The desk does not answer. Nothing was changed.')
    expect(screen.getByRole('button', { name: /^Close/ })).toHaveProperty('disabled', false)
  })

  it('on an older page is shown as it was settled', async () => {
    vi.stubGlobal('innerHeight', 10_000) // all rows are drawn
    onTestFinished(() => void vi.unstubAllGlobals())
    desk.put({ ...doubt(), id: 'old', createdAt: at(0) })
    for (let n = 1; n < 25; n++) desk.put(sampleCall({ id: `c${String(n)}`, createdAt: at(n), status: 'completed' }))
    renderAt(desk, <ActivityScreen />)
    fireEvent.click(await screen.findByRole('button', { name: /^Close/ }))
    await screen.findByText('Failed')
  })
})

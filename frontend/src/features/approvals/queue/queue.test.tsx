import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import { at, dialog, named, press, QueueHost, said } from '../../../test/queue-host'
import { sampleCall, sampleDecision, sampleKind } from '../../../test/samples'

let desk: FakeDesk
let host: QueueHost

beforeEach(() => {
  host = new QueueHost()
  desk = host.desk
})

describe('a call that is settled elsewhere', () => {
  it('is said to be, how, and for a second there is nothing to press', async () => {
    host.put(2, (n) => ({ toolName: `tool_${String(n)}` }))
    host.open()
    await named(/tool_0/)
    // From before the card: a slow machine finds it long after it was shown.
    const settled = performance.now()
    act(() => {
      desk.settle('c0', 'declined')
    })
    const card = await named(/tool_0 was settled elsewhere\. Now: Declined\./)
    expect(within(card).queryAllByRole('button')).toEqual([])
    expect(card.contains(document.activeElement)).toBe(true)
    fireEvent(card, new Event('cancel', { cancelable: true }))
    expect(dialog()).toBe(card)
    await named(/tool_1/)
    expect(performance.now() - settled).toBeGreaterThan(900)
    expect(said()).toContain('tool_0 was settled elsewhere')
    expect(desk.answers).toEqual([])
  })
})

describe('an answer', () => {
  it('of two quick clicks is for one call at most: the next takes none of them', async () => {
    host.put(2, (n) => ({ toolName: `tool_${String(n)}` }))
    host.open()
    const first = await named(/tool_0/)
    const approve = within(first).getByRole('button', { name: 'Approve' })
    await waitFor(() => {
      expect(approve).toHaveProperty('ariaDisabled', 'false')
    }, { timeout: 3000 })
    desk.armingNow = { ms: 10_000, highMs: 10_000, until: null } // also on a slow machine not over
    for (const detail of [1, 2, 1]) fireEvent.click(approve, { detail })
    const second = await named(/tool_1/)
    await within(second).findByText('Approve becomes ready in a moment.')
    expect(within(second).getByRole('button', { name: 'Approve' })).toHaveProperty('ariaDisabled', 'true')
    press('Approve')
    fireEvent.keyDown(second, { key: 'Enter', ctrlKey: true })
    await act(() => Promise.resolve())
    expect(within(second).queryByRole('button', { name: /^Undo/ })).toBeNull()
    expect(desk.answers.map(({ callId }) => callId)).toEqual(['c0'])
  })

  it.each([
    ['already_decided', 'declined', 'launch This call was answered before.'],
    ['expired', 'expired', 'launch Too late: the time of this call ran out. It did not run.'],
    ['cancelled', 'cancelled', 'launch The agent took this call back.'],
  ] as const)('that comes second is told what stands: %s', async (code, status, words) => {
    const call = sampleCall({ toolName: 'launch' })
    desk.put(call)
    host.open()
    await named(/launch/)
    desk.failures.set('decide', new DeskError({ code, message: '', call: { ...call, rev: 2, status } }))
    press('Decline')
    expect((await screen.findByRole('alert')).querySelector('p')?.textContent).toBe(words)
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })
})

describe('a flood', () => {
  const flood = async (count: number, options: Parameters<QueueHost['open']>[0] = {}) => {
    host.put(count, (n) => ({ toolName: n % 3 === 0 ? 'read_file' : 'delete_file', risk: n === 1 ? 'high' : 'low' }))
    host.open(options)
    return named(/calls waiting/)
  }

  it('is one card with its tools counted', async () => {
    const card = await flood(24)
    expect(within(card).getByRole('heading').textContent).toBe('helper has 24 calls waiting')
    const tools = within(card).getByRole('treegrid', { name: 'The tools they are for' })
    for (const heading of within(tools).getAllByRole('row', { expanded: true })) fireEvent.click(heading)
    expect(
      within(tools)
        .getAllByRole('row')
        .map((item) => item.textContent),
    ).toEqual(['delete_filefilesystemHigh risk× 16', 'read_filefilesystemLow risk× 8'])
    expect(within(card).queryByRole('button', { name: /approve/i })).toBeNull()
  })

  it('says when more wait than it knows', async () => {
    const card = await flood(214)
    expect(within(card).getByRole('heading').textContent).toBe('helper has 200+ calls waiting')
  })

  it('is looked at one by one', async () => {
    await flood(24)
    press('Review one by one')
    await named(/wants to run read_file/)
    expect(within(dialog()).getByText('1 of 24')).toBeTruthy()
  })

  it('is declined as a whole after asking once, also what the page did not know', async () => {
    await flood(214)
    press(/Decline all of them/)
    expect(screen.getByRole('group', { name: 'Decline all of them, 200 and more?' })).toBeTruthy()
    fireEvent.change(screen.getByRole('textbox'), { target: { value: 'stop' } })
    expect(desk.answers).toEqual([])
    press('Decline all')
    await waitFor(() => {
      expect(desk.kept.every((call) => call.status === 'declined' && call.decision?.reason === 'stop')).toBe(true)
    }, { timeout: 5000 })
    await waitFor(() => {
      expect(said()).toContain('214 declined')
    })
  })

  it('that could not be declined keeps the question with its reason, and takes no second press meanwhile', async () => {
    await flood(214)
    press(/Decline all of them/)
    fireEvent.change(screen.getByRole('textbox'), { target: { value: 'stop' } })
    let fail: () => void = () => undefined
    const asked = new Promise<void>((done) => (fail = done))
    const decide = vi.spyOn(desk, 'decide').mockImplementation(async () => {
      await asked
      throw new DeskError({ code: 'unreachable', message: '' })
    })
    press('Decline all')
    await screen.findByText(/^Declining/)
    const begun = decide.mock.calls.length
    press('Decline all')
    fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Escape' })
    press('Cancel')
    expect(decide.mock.calls.length).toBe(begun)
    fail()
    await waitFor(() => {
      expect(decide.mock.calls.length).toBe(214) // first, since to look for what is said takes long
      expect(said()).toContain('214')
      expect(within(dialog()).getByRole('button', { name: 'Decline all' }).getAttribute('aria-disabled')).toBe('false') // a moment later
    })
    expect(decide.mock.calls.length).toBe(214)
    expect(screen.getByRole('textbox')).toHaveProperty('value', 'stop')
    decide.mockRestore()
    press('Decline all')
    await waitFor(() => {
      expect(desk.kept.every((call) => call.decision?.reason === 'stop')).toBe(true)
    })
    await waitFor(() => {
      expect(screen.queryByRole('textbox')).toBeNull()
    })
  })

  it('is kept by Escape from the question, and put off by the next', async () => {
    await flood(24)
    press(/Decline all of them/)
    await userEvent.setup().keyboard('{Escape}')
    expect(screen.queryByRole('group')).toBeNull()
    expect(document.activeElement).toBe(within(dialog()).getByRole('button', { name: /Decline all of them/ }))
    fireEvent(dialog(), new Event('cancel', { cancelable: true }))
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(screen.getByText('24 calls are waiting for you')).toBeTruthy()
    expect(desk.answers).toEqual([])
  })

  it('takes no held Enter for another press', async () => {
    const card = await flood(24)
    const pause = within(card).getByRole('button', { name: 'Pause' })
    expect(fireEvent.keyDown(pause, { key: 'Enter', repeat: true })).toBe(false)
    expect(fireEvent.keyDown(pause, { key: 'Enter', isComposing: true })).toBe(false)
    expect(fireEvent.keyDown(pause, { key: 'Enter' })).toBe(true)
    press(/Decline all of them/)
    expect(fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter', repeat: true })).toBe(true)
  })

  it('paused waits in the bar, keeps waiting there, and comes back by Resume', async () => {
    await flood(24)
    press('Pause')
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(screen.getByRole('region', { name: 'What waits' }).textContent).toContain('helper is paused: 24 calls wait')
    act(() => {
      desk.put(sampleCall({ id: 'more', createdAt: at(9999) }))
    })
    await screen.findByText((_, element) => element?.tagName === 'P' && element.textContent === 'helper is paused: 25 calls wait')
    act(() => {
      desk.put(sampleCall({ id: 'other', agentId: 'x', agentName: 'nightly' }))
    })
    await named(/nightly wants/)
    press('Later')
    fireEvent.click(screen.getByRole('button', { name: 'Resume helper' }))
    await named(/helper has 25 calls waiting/)
    expect(desk.answers).toEqual([])
  })

  it('is paused, resumed and looked at by the keyboard alone', async () => {
    await flood(24)
    const user = userEvent.setup()
    const tabTo = async (name: RegExp) => {
      for (let n = 0; n < 40 && !name.test(document.activeElement?.textContent ?? ''); n++) await user.tab()
      expect(document.activeElement?.textContent).toMatch(name)
    }
    await tabTo(/^Pause$/)
    await user.keyboard(' ')
    expect(screen.queryByRole('alertdialog')).toBeNull()
    await tabTo(/^Resume$/)
    await user.keyboard('{Enter}')
    await named(/helper has 24 calls waiting/)
    await tabTo(/^Review one by one$/)
    await user.keyboard('{Enter}')
    await named(/wants to run read_file/)
    expect(desk.answers).toEqual([])
  })

  it('that takes the place of a dialog cannot be pressed for a second', async () => {
    host.put(1, () => ({}))
    host.open()
    await named(/wants to run/)
    act(() => {
      host.put(24, () => ({}))
    })
    const card = await named(/calls waiting/)
    const buttons = within(card).getAllByRole('button')
    expect(buttons.every((button) => (button as HTMLButtonElement).disabled)).toBe(true)
    await waitFor(() => {
      expect(buttons.some((button) => (button as HTMLButtonElement).disabled)).toBe(false)
    }, { timeout: 2000 })
  })

  it('does not take the dialog from who has begun with it', async () => {
    host.put(1, () => ({}))
    host.open()
    await named(/wants to run/)
    fireEvent.pointerDown(screen.getByRole('textbox', { name: 'Reason for declining' }))
    act(() => {
      host.put(24, () => ({}))
    })
    await within(dialog()).findByText('1 of 24')
    await named(/wants to run/)
  })
})

describe('calls that ask for the same', () => {
  it('are answered together as they were counted, not those that come during the undo', async () => {
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 1 }
    host.put(3, () => ({ inputHash: 'sha256:same' }))
    host.open()
    await named(/wants to run/)
    fireEvent.click(within(dialog()).getByRole('checkbox', { name: /2 other waiting calls/ }))
    await waitFor(() => {
      expect(within(dialog()).getByRole('button', { name: 'Approve' })).toHaveProperty('ariaDisabled', 'false')
    }, { timeout: 3000 })
    press('Approve')
    await within(dialog()).findByRole('button', { name: /^Undo/ })
    act(() => {
      desk.put(sampleCall({ id: 'late', inputHash: 'sha256:same' }))
    })
    await waitFor(() => {
      expect(said()).toContain('3 approved')
    }, { timeout: 3000 })
    expect(desk.answers.map(({ callId }) => callId)).toEqual(['c0', 'c1', 'c2'])
    expect(desk.kept.find(({ id }) => id === 'late')?.status).toBe('pending')
  })
})

describe('do not disturb', () => {
  it('opens nothing by itself, says so, and can be switched off there', async () => {
    const onQuiet = vi.fn()
    host.put(3, () => ({}))
    host.open({ quiet: true, onQuiet })
    await screen.findByText('Do not disturb: 3 calls wait')
    expect(screen.queryByRole('alertdialog')).toBeNull()
    fireEvent.click(screen.getByRole('checkbox', { name: 'Do not disturb' }))
    expect(onQuiet).toHaveBeenCalledWith(false)
    fireEvent.click(screen.getByRole('button', { name: 'Review' }))
    await named(/wants to run/)
    expect(desk.answers).toEqual([])
  })
})

describe('a call in doubt', () => {
  const doubt = sampleCall({
    id: 'd',
    status: 'in_doubt',
    toolName: 'launch',
    serverId: 'rockets',
    decision: sampleDecision({ decidedAt: new Date().toISOString() }),
  })
  const card = () => named(/helper started launch on rockets ?, and no answer came back/)

  it('has its card with what it was, and nothing is pressed first', async () => {
    desk.put(doubt, '{"n":9007199254740993}')
    host.open()
    const shown = await card()
    await within(shown).findByText(/9007199254740993/)
    expect(shown.textContent).toContain('It may have run wholly, in part, or not at all.')
    expect(shown.textContent).toContain('/home/mika')
    expect(document.activeElement?.tagName).toBe('H2')
  })

  it('runs again only after a second question, which takes no press at first', async () => {
    desk.put(doubt)
    host.open()
    await card()
    press('Run again…')
    expect(screen.getByRole('group', { name: 'Run it a second time?' }).textContent).toContain('is done twice')
    expect(document.activeElement?.textContent).toBe('Cancel')
    press('Run it again')
    fireEvent.keyDown(dialog(), { key: 'Enter', ctrlKey: true })
    await act(() => Promise.resolve())
    expect(desk.kept[0]?.status).toBe('in_doubt')
    await waitFor(() => {
      expect(within(dialog()).getByRole('button', { name: 'Run it again' })).toHaveProperty('ariaDisabled', 'false')
    }, { timeout: 3000 })
    press('Run it again')
    await waitFor(() => {
      expect(desk.kept[0]?.status).toBe('approved')
    })
    await waitFor(() => {
      expect(said()).toContain('May run again: launch')
    })
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it('goes back to where it was when the second question is answered with no', async () => {
    desk.put(doubt)
    host.open()
    await card()
    press('Run again…')
    press('Cancel')
    expect(screen.queryByRole('group', { name: 'Run it a second time?' })).toBeNull()
    expect(document.activeElement).toBe(within(dialog()).getByRole('button', { name: 'Run again…' }))
  })

  it('is closed, and put off', async () => {
    desk.put(doubt)
    host.open()
    await card()
    press('Later')
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(desk.kept[0]?.status).toBe('in_doubt')
    expect(screen.getByText('1 call was started and gave no answer')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Look' }))
    await card()
    press('Close as failed')
    await waitFor(() => {
      expect(desk.kept[0]?.status).toBe('failed')
    })
  })

  it('takes no made-up event for an answer', async () => {
    desk.put(doubt)
    host.open({ strict: true })
    await card()
    press('Close as failed')
    await act(() => Promise.resolve())
    expect(desk.kept[0]?.status).toBe('in_doubt')
  })

  it('says when the desk does not answer', async () => {
    desk.put(doubt)
    desk.failures.set('resolve', new DeskError({ code: 'unreachable', message: '' }))
    host.open()
    await card()
    press('Close as failed')
    expect((await within(dialog()).findByRole('alert')).textContent).toContain('The desk does not answer.')
  })

  it('counts no calls of an agent that is paused', async () => {
    host.put(24, () => ({}))
    host.open()
    await named(/calls waiting/)
    press('Pause')
    act(() => {
      desk.put(doubt)
    })
    const shown = await card()
    expect(within(shown).queryByText(/waiting for you/)).toBeNull()
  })

  it('gives its place to a call that waits, and takes no press meanwhile', async () => {
    desk.put(doubt)
    host.open()
    const shown = await card()
    act(() => {
      desk.put(sampleCall({ id: 'new' }))
    })
    await within(shown).findByText(/1 call is waiting for you/)
    for (const name of ['Run again…', 'Close as failed', 'Later', 'Review'])
      expect(within(shown).getByRole('button', { name })).toHaveProperty('disabled', true)
    await named(/wants to run write_file/)
  })
})

describe('the small window', () => {
  it('has the way to the whole desk in whatever is in front', async () => {
    const onExpand = vi.fn()
    host.put(1, () => ({}))
    host.open({ onExpand })
    await named(/wants to run/)
    press('Open the desk')
    expect(onExpand).toHaveBeenCalledOnce()
  })
})

describe('a tool that was declined again and again', () => {
  const words = /in the next 15 minutes is declined, without asking/
  const worn = async (part: Parameters<typeof sampleCall>[0]) => {
    host.put(4, () => ({ toolName: 'run', ...part }))
    desk.declined = [
      { agentId: 'agent-1', sessionId: 'session-1', serverId: 'filesystem', method: 'tools/call', toolName: 'run', count: 3 },
    ]
    host.open()
    return named(/You declined run 3 times/)
  }

  it('can be declined for a while', async () => {
    const card = await worn({ ...sampleKind('ls') })
    act(() => {
      desk.put(sampleCall({ id: 'other', sessionId: 'session-2', toolName: 'fetch' }))
    })
    const [first] = within(card).getByRole('button', { name: 'Later' }).parentElement?.children ?? []
    expect(first?.textContent).toBe('Decline all of this kind for 15 minutes')
    expect(within(card).getByText(words)).toBeTruthy()
    expect(card.textContent).toContain('4 calls wait')
    press(/^Decline all of this kind/)
    await named(/wants to run fetch/)
    expect(desk.answers[0]?.answer).toMatchObject({ approved: false, scope: 'class', forSeconds: 900 })
    expect(said()).toContain('4 declined')
  })

  it('is looked at one by one', async () => {
    await worn({ ...sampleKind('ls') })
    press('Review one by one')
    await named(/wants to run run/)
    expect(desk.answers).toEqual([])
  })

  it('promises no such thing where its calls are of no kind', async () => {
    const card = await worn({ class: null })
    expect(within(card).queryByRole('button', { name: /^Decline all of this kind/ })).toBeNull()
    expect(within(card).queryByText(words)).toBeNull()
  })
})

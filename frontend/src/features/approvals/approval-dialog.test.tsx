import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { sampleCall } from '../../test/samples'
import { ApprovalDesk } from './approval-desk'
import { armingMs } from './arming'
import { usePendingQueue } from './use-pending-queue'
import { WaitingBar } from './waiting-bar'

/** The approvals of a page. Events of tests are not trusted: unless strict, they are taken for a person's. */
function Approvals({ strict = false }: { strict?: boolean }) {
  const { queue, state } = usePendingQueue()
  return (
    <>
      <button>elsewhere</button>
      <WaitingBar state={state} onReview={queue.review} />
      <ApprovalDesk queue={queue} state={state} {...(strict ? {} : { trusts: () => true })} />
    </>
  )
}

let desk: FakeDesk

async function open(options: { strict?: boolean } = {}) {
  renderAt(desk, <Approvals {...options} />)
  return screen.findByRole('alertdialog')
}

const approve = () => screen.getByRole('button', { name: 'Approve' })
const decline = () => screen.getByRole('button', { name: 'Decline' })
const armed = () =>
  waitFor(() => {
    expect(approve()).toHaveProperty('ariaDisabled', 'false')
  }, { timeout: armingMs * 4 })

beforeEach(() => {
  desk = new FakeDesk()
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
})

describe('the approval dialog', () => {
  it('is named by one sentence and shows who, what, where and why', async () => {
    desk.put(sampleCall({ agentName: 'claude', why: { rule: { id: 'rule-9', priority: 50 }, reason: 'shell always asks' }, callerGone: true }), '{"n":9007199254740993}')
    const dialog = await open()
    expect(dialog.getAttribute('aria-labelledby')).toBe(within(dialog).getByRole('heading', { name: /claude wants to run write_file on filesystem/ }).id)
    await within(dialog).findByText(/9007199254740993/)
    expect(dialog.textContent).toContain('/home/mika')
    expect(dialog.textContent).toContain('Rule rule-9 with priority 50 asks.')
    expect(dialog.textContent).toContain('The agent has stopped waiting. If you approve, it runs once when the agent asks again.')
    expect(dialog.textContent).toContain('Waits without limit')
    expect(dialog.textContent).toContain('Nobody has checked this action')
  })

  it.each([
    ['high', true],
    ['medium', false],
  ] as const)('words why the risk is high: %s', async (risk, said) => {
    desk.put(sampleCall({ risk, riskReasons: ['the server says that this tool may destroy', 'the tool\'s name has the verb "delete"'] }))
    const dialog = await open()
    const words = 'Why the risk is high: the server says that this tool may destroy; the tool\'s name has the verb "delete"'
    expect(dialog.textContent.includes(words)).toBe(said)
    expect(dialog.textContent).toContain(risk === 'high' ? 'High risk' : 'Medium risk')
  })

  it('does not take a yes before the input was in view', async () => {
    const watched: IntersectionObserverCallback[] = []
    const observe = vi.spyOn(IntersectionObserver.prototype, 'observe').mockImplementation(function (this: { report?: IntersectionObserverCallback }) {
      if (this.report) watched.push(this.report)
    })
    desk.put(sampleCall())
    await open()
    await screen.findByText('Scroll to the input to approve')
    await new Promise((r) => setTimeout(r, armingMs * 1.5))
    fireEvent.click(approve())
    fireEvent.keyDown(approve(), { key: 'Enter', ctrlKey: true })
    expect(approve()).toHaveProperty('ariaDisabled', 'true')
    expect(desk.answers).toEqual([])
    act(() => {
      for (const report of watched) report([{ isIntersecting: true } as IntersectionObserverEntry], {} as IntersectionObserver)
    })
    await armed()
    observe.mockRestore()
  })

  it('does not put the first focus on an answer', async () => {
    desk.put(sampleCall())
    const dialog = await open()
    expect(dialog.contains(document.activeElement)).toBe(true)
    expect(document.activeElement?.tagName).toBe('H2')
  })

  it('approves once it is armed, with the hash that was shown', async () => {
    desk.put(sampleCall({ inputHash: 'sha256:abc', rev: 3 }), '{"path":"a"}')
    await open()
    await armed()
    fireEvent.click(approve(), { detail: 1 })
    await waitFor(() => {
      expect(screen.queryByRole('alertdialog')).toBeNull()
    })
    expect(desk.answers).toEqual([{ callId: 'call-1', answer: { approved: true, reason: '', inputHash: 'sha256:abc', rev: 3 } }])
    expect(screen.getByText(/Approved:/)).toBeTruthy()
  })

  it('is inert before it is armed: clicks and keys decide nothing', async () => {
    desk.put(sampleCall())
    const dialog = await open()
    await within(dialog).findByText('No parameters.')
    expect(approve().getAttribute('aria-disabled')).toBe('true')
    fireEvent.click(approve(), { detail: 1 })
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    expect(desk.answers).toEqual([])
    await armed()
    fireEvent.blur(window)
    fireEvent.click(approve(), { detail: 1 })
    expect(desk.answers).toEqual([])
  })

  it('starts over when the call changes', async () => {
    desk.put(sampleCall())
    await open()
    await armed()
    act(() => {
      desk.put(sampleCall({ rev: 2, callerGone: true }))
    })
    await screen.findByText(/stopped waiting/)
    fireEvent.click(approve(), { detail: 1 })
    expect(desk.answers).toEqual([])
    await armed()
  })

  it('takes Ctrl+Enter and Cmd+Enter, but no bare Enter, no held key, no word of an input method', async () => {
    desk.put(sampleCall())
    const dialog = await open()
    await armed()
    fireEvent.keyDown(document.activeElement ?? dialog, { key: 'Enter' })
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true, repeat: true })
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true, isComposing: true })
    fireEvent.keyDown(screen.getByLabelText('Reason for declining'), { key: 'Enter', ctrlKey: true })
    expect(desk.answers).toEqual([])
    fireEvent.keyDown(dialog, { key: 'Enter', metaKey: true })
    await waitFor(() => {
      expect(desk.answers).toHaveLength(1)
    })
    expect(desk.answers[0]?.answer.approved).toBe(true)
  })

  it('does not let a held Enter press a button', async () => {
    desk.put(sampleCall())
    await open()
    expect(fireEvent.keyDown(decline(), { key: 'Enter', repeat: true })).toBe(false)
    expect(fireEvent.keyDown(decline(), { key: 'Enter' })).toBe(true)
  })

  it('ignores events that no person made', async () => {
    desk.put(sampleCall())
    const dialog = await open({ strict: true })
    await armed()
    approve().click()
    decline().click()
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    expect(desk.answers).toEqual([])
  })

  it('declines with the reason', async () => {
    desk.put(sampleCall())
    await open()
    await userEvent.type(screen.getByLabelText('Reason for declining'), ' Not this folder. {enter}')
    expect(desk.answers).toEqual([])
    fireEvent.click(decline(), { detail: 1 })
    await waitFor(() => {
      expect(desk.answers[0]?.answer).toMatchObject({ approved: false, reason: 'Not this folder.' })
    })
  })

  it('is put off by Escape, decides nothing, and comes back', async () => {
    desk.put(sampleCall({ id: 'a' }))
    desk.put(sampleCall({ id: 'b' }))
    const dialog = await open()
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(desk.answers).toEqual([])
    expect(screen.getByText('2 calls are waiting for you')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Review' }))
    expect(screen.getByRole('alertdialog')).toBeTruthy()
  })

  it('takes a dialog that the browser closed as put off', async () => {
    desk.put(sampleCall())
    const dialog = await open()
    act(() => {
      ;(dialog as HTMLDialogElement).close()
    })
    expect(screen.getByText('1 call is waiting for you')).toBeTruthy()
    expect(desk.answers).toEqual([])
  })

  it('answers each of two calls under its own name, and keeps nothing of the first', async () => {
    desk.put(sampleCall({ id: 'a', toolName: 'first' }), '{"one":1}')
    desk.put(sampleCall({ id: 'b', toolName: 'second' }), '{"two":2}')
    const first = await open()
    expect(within(first).getByText('1 of 2')).toBeTruthy()
    await userEvent.type(screen.getByLabelText('Reason for declining'), 'no')
    fireEvent.click(decline(), { detail: 1 })
    await screen.findByRole('heading', { name: /second/ })
    const second = screen.getByRole('alertdialog')
    expect(second).not.toBe(first)
    expect(first.isConnected).toBe(false)
    expect(approve().getAttribute('aria-disabled')).toBe('true')
    expect(screen.getByLabelText('Reason for declining')).toHaveProperty('value', '')
    await armed()
    fireEvent.click(approve(), { detail: 1 })
    await waitFor(() => {
      expect(desk.answers.map((x) => [x.callId, x.answer.approved, x.answer.inputHash])).toEqual([
        ['a', false, 'sha256:a'],
        ['b', true, 'sha256:b'],
      ])
    })
  })

  it('disappears with a word when the call is settled elsewhere', async () => {
    desk.put(sampleCall())
    await open()
    act(() => {
      desk.settle('call-1', 'cancelled')
    })
    await screen.findByText(/was settled elsewhere/)
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it('only lets decline while the input cannot be shown', async () => {
    desk.put(sampleCall(), '{"a":1}')
    desk.failures.set('input', new DeskError({ code: 'unreachable', message: 'gone' }))
    const dialog = await open()
    await within(dialog).findByText(/you can only decline/)
    await new Promise((r) => setTimeout(r, armingMs + 100))
    fireEvent.click(approve(), { detail: 1 })
    expect(desk.answers).toEqual([])
    desk.failures.clear()
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await within(dialog).findByText(/"a"/)
    await armed()
  })

  it('says in words what the desk refused, and stays', async () => {
    desk.put(sampleCall())
    desk.failures.set('decide', new DeskError({ code: 'hash_mismatch', message: 'other input' }))
    await open()
    fireEvent.click(decline(), { detail: 1 })
    await screen.findByText('The input is not the one that was shown. Look again.')
    expect(screen.getByRole('alertdialog')).toBeTruthy()
  })

  it('keeps both answers busy while one is sent', async () => {
    desk.put(sampleCall())
    let finish: () => void = () => undefined
    const decide = vi.spyOn(desk, 'decide').mockImplementation(() => new Promise((_, reject) => (finish = () => { reject(new DeskError({ code: 'unavailable', message: '' })) })))
    const dialog = await open()
    await armed()
    fireEvent.click(decline(), { detail: 1 })
    fireEvent.click(decline(), { detail: 1 })
    fireEvent.click(approve(), { detail: 1 })
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    expect(decide).toHaveBeenCalledOnce()
    expect(approve().getAttribute('aria-disabled')).toBe('true')
    expect(decline().getAttribute('aria-disabled')).toBe('true')
    expect(screen.getByRole('alertdialog')).toBe(dialog)
    act(() => {
      finish()
    })
    await screen.findByText(/closing or busy/)
  })

  it('counts down, and approves nothing after the deadline', async () => {
    desk.put(sampleCall({ expiresAt: new Date(Date.now() + 272_000).toISOString() }))
    await open()
    expect(screen.getByText(/4:3[12]/)).toBeTruthy()
    act(() => {
      desk.put(sampleCall({ rev: 2, expiresAt: new Date(Date.now() - 1).toISOString() }))
    })
    await screen.findByText('The time is up. Nothing ran.')
    await new Promise((r) => setTimeout(r, armingMs + 100))
    fireEvent.click(approve(), { detail: 1 })
    expect(desk.answers).toEqual([])
  })
})

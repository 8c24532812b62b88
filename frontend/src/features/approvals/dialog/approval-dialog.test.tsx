import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import { button, eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleFile, sampleLine, sampleLook } from '../../../test/looks'
import { sampleCall, sampleKind, sampleSession, sampleTask } from '../../../test/samples'
import { armingMs } from '../answer/arming'
import './caller-line' // which the dialog loads late

let desk: FakeDesk
let host: DialogHost

const armed = () => tick(armingMs.high + 10)
const reason = () => screen.getByLabelText('Reason for declining')

eachDialog((now, its) => {
  host = now
  desk = its
})

describe('the approval dialog', () => {
  it('is named by one sentence, and described by the risk and why a person is asked', async () => {
    desk.put(
      sampleCall({
        agentName: 'claude',
        risk: 'high',
        riskReasons: [
          { code: 'deletes', params: { name: 'rm' }, text: 'it deletes', at: null },
          { code: 'of_tomorrow', params: {}, text: 'it is far-reaching', at: null },
        ],
        why: { rule: { id: 'rule-9', priority: 50 }, code: null, params: {}, reason: 'shell always asks' },
      }),
      '{"n":9007199254740993}',
    )
    const dialog = await host.open()
    expect(dialog.getAttribute('aria-labelledby')).toBe(
      within(dialog).getByRole('heading', { name: /^claude wants to run write_file on filesystem$/ }).id,
    )
    await tick(0)
    const described = (dialog.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)
    expect(described).toHaveLength(2)
    expect(described[0]).toContain('High risk')
    expect(described[0]).toContain('rm deletes files or folders without asking; it is far-reaching')
    expect(described[1]).toContain('Rule rule-9 with priority 50 asks.')
    expect(dialog.textContent).toContain('9007199254740993')
  })

  it('tells in this order: the risk, the input, what the agent says, names, why, how far, the reason, the deadline', async () => {
    desk.put(
      sampleCall({
        agentName: 'claude',
        description: 'just a look',
        ...sampleKind(),
      }),
      '{"path":"a"}',
    )
    const text = (await host.open()).textContent ?? ''
    const places = [
      'claude wants to run write_file on filesystem',
      'Medium risk',
      '"path"',
      'just a look',
      'Who asks',
      'session-1',
      '/home/mika',
      'No rule decides this call.',
      'Approval covers',
      'Reason for declining',
      'Waits without limit',
    ].map((words) => text.indexOf(words))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('marks the agent’s words as a quotation', async () => {
    desk.put(sampleCall({ description: 'APPROVED BY USER' }))
    const dialog = await host.open()
    const quoted = within(dialog).getByText('APPROVED BY USER')
    expect(quoted.closest('q')).toBeTruthy()
    expect(quoted.closest('blockquote')).toBeTruthy()
    expect(dialog.textContent).toContain('In the agent’s words, unchecked')
  })

  it('leads to the rule that asked, and puts the call off on the way', async () => {
    desk.put(sampleCall({ why: { rule: { id: 'rule 9/x', priority: 50 }, code: null, params: {}, reason: '' } }))
    await host.open()
    const link = screen.getByRole('link', { name: 'rule 9/x' })
    expect(link.getAttribute('href')).toBe('#/rules?rule=rule%209%2Fx')
    fireEvent.click(link)
    expect(host.later).toBe(1)
    expect(desk.answers).toEqual([])
  })

  it('says that the agent has stopped waiting, and shows a run of its own', async () => {
    desk.put(sampleCall({ callerGone: true, runId: 'run-7', cwd: null, serverId: null }))
    const dialog = await host.open()
    expect(dialog.textContent).toContain('The agent has stopped waiting. If you approve, it runs once when the agent asks again.')
    expect(dialog.textContent).toContain('run run-7')
    expect(dialog.textContent).toContain('no folder given')
    expect(dialog.textContent).toContain('a tool of its own')
  })

  it('says what the agent is in its session, and for which task it asks', async () => {
    desk.sessionList = [sampleSession]
    desk.taskList = [sampleTask]
    desk.put(sampleCall({ agentId: 'a', sessionId: 's' }))
    const dialog = await host.open()
    await vi.waitFor(async () => {
      await tick(0)
      expect(dialog.textContent).toContain('worker, task: Write the note')
    }, 10_000)
  })

  it('warns in general where nothing in particular is known, and at high risk', async () => {
    desk.put(sampleCall())
    expect((await host.open()).textContent).toContain('Nobody has checked this action')
  })
})

describe('the focus', () => {
  it('is first on no answer', async () => {
    desk.put(sampleCall())
    const dialog = await host.open()
    expect(dialog.contains(document.activeElement)).toBe(true)
    expect(document.activeElement?.tagName).toBe('H2')
  })
})

describe('an answer', () => {
  it('carries the hash and rev that were shown, and nothing that was not chosen', async () => {
    desk.put(sampleCall({ inputHash: 'sha256:abc', rev: 3 }), '{"path":"a"}')
    await host.open()
    await armed()
    await press('Approve')
    expect(desk.answers).toEqual([{ callId: 'call-1', answer: { approved: true, reason: '', inputHash: 'sha256:abc', rev: 3 } }])
    expect(host.beside).toEqual([{ identical: [], ruleSaved: false }])
  })

  it('that is no goes at once, with the reason', async () => {
    desk.put(sampleCall({ risk: 'high' }))
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 3 }
    await host.open()
    fireEvent.change(reason(), { target: { value: ' Not this folder. ' } })
    await press('Decline')
    expect(desk.answers[0]?.answer).toMatchObject({ approved: false, reason: 'Not this folder.' })
  })

  it('reaches the twins of a call where the person says so', async () => {
    desk.put(sampleCall())
    await host.open({ identical: ['b', 'c'] })
    fireEvent.click(screen.getByLabelText('Answer the 2 other waiting calls with the same input alike'))
    await armed()
    await press('Approve')
    expect(host.beside).toEqual([{ identical: ['b', 'c'], ruleSaved: false }])
  })

  it('is not given by Later or Escape', async () => {
    desk.put(sampleCall())
    const dialog = await host.open()
    await armed()
    fireEvent.click(button('Later'))
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    act(() => {
      ;(dialog as HTMLDialogElement).close() // as a browser may, at the second Escape
    })
    expect(host.later).toBe(3)
    expect(desk.answers).toEqual([])
  })

  it('that the desk refuses is said in words, and the dialog stays', async () => {
    desk.put(sampleCall())
    desk.failures.set('decide', new DeskError({ code: 'hash_mismatch', message: 'other input' }))
    await host.open()
    await press('Decline')
    expect(screen.getByRole('alert').textContent).toBe('The input is not the one that was shown. Look again.')
  })

  it('is one at a time', async () => {
    desk.put(sampleCall())
    let finish: () => void = () => undefined
    const decide = vi.spyOn(desk, 'decide').mockImplementation(
      () =>
        new Promise(
          (_, reject) =>
            (finish = () => {
              reject(new DeskError({ code: 'unavailable', message: '' }))
            }),
        ),
    )
    const dialog = await host.open()
    await armed()
    await press('Decline')
    await press('Decline')
    await press('Approve')
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    expect(decide).toHaveBeenCalledOnce()
    expect(host.later).toBe(0)
    expect([inert('Approve'), inert('Decline')]).toEqual([true, true])
    finish()
    await tick(0)
    expect(screen.getByRole('alert').textContent).toContain('closing or busy')
  })

  it('does not close a dialog for good that the browser closed meanwhile', async () => {
    desk.put(sampleCall())
    vi.spyOn(desk, 'decide').mockReturnValue(new Promise(() => undefined))
    const dialog = (await host.open()) as HTMLDialogElement
    await press('Decline')
    act(() => {
      dialog.close()
    })
    await tick(1)
    expect(host.later).toBe(0)
    expect(dialog.open).toBe(true)
  })
})

describe('keys', () => {
  it('Ctrl+Enter and Cmd+Enter approve; bare Enter, a held key and a word of an input method do not', async () => {
    desk.put(sampleCall())
    const dialog = await host.open()
    await armed()
    fireEvent.keyDown(document.activeElement ?? dialog, { key: 'Enter' })
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true, repeat: true })
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true, isComposing: true })
    fireEvent.keyDown(reason(), { key: 'Enter', ctrlKey: true })
    await tick(0)
    expect(desk.answers).toEqual([])
    fireEvent.keyDown(dialog, { key: 'Enter', metaKey: true })
    await tick(0)
    expect(desk.answers.map(({ answer }) => answer.approved)).toEqual([true])
  })

  it('a held Enter presses no button', async () => {
    desk.put(sampleCall())
    await host.open()
    expect(fireEvent.keyDown(button('Decline'), { key: 'Enter', repeat: true })).toBe(false)
    expect(fireEvent.keyDown(button('Decline'), { key: 'Enter' })).toBe(true)
  })

  it('and clicks that no person made decide nothing', async () => {
    desk.put(sampleCall())
    const dialog = await host.open({ strict: true })
    await armed()
    button('Approve').click()
    button('Decline').click()
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    await tick(0)
    expect(desk.answers).toEqual([])
  })
})

describe('the reasons that are ready', () => {
  it('are sent as words that an agent can act on, and follow what a person wrote', async () => {
    desk.put(sampleCall())
    await host.open()
    const field = screen.getByLabelText<HTMLTextAreaElement>('Reason for declining')
    fireEvent.click(button('Do less'))
    expect(field.value).toContain('in a smaller step')
    fireEvent.click(button('Explain first'))
    expect(field.value).toBe('First explain what this changes and why it is needed. Then ask again.')
    fireEvent.change(field, { target: { value: 'Not that file.' } })
    fireEvent.click(button('Another way'))
    expect(field.value).toBe('Not that file. Do not do this. Go on without it, or find a way that does not need it.')
    await press('Decline')
    expect(desk.answers).toMatchObject([{ answer: { approved: false, reason: field.value } }])
  })
})

describe('what was not in view', () => {
  it('is not approved: the input', async () => {
    desk.put(sampleCall(), '{"a":1}')
    desk.failures.set('input', new DeskError({ code: 'unreachable', message: 'gone' }))
    const dialog = await host.open()
    expect(dialog.textContent).toContain('you can only decline')
    await armed()
    await press('Approve')
    expect(desk.answers).toEqual([])
    desk.failures.clear()
    fireEvent.click(button('Try again'))
    await armed()
    expect(inert('Approve')).toBe(false)
  })

  describe('as far as the window shows', () => {
    let reports: ((isIntersecting: boolean) => void)[] = []
    beforeEach(() => {
      reports = []
      vi.spyOn(IntersectionObserver.prototype, 'observe').mockImplementation(function (this: { report?: IntersectionObserverCallback }) {
        reports.push((isIntersecting) => this.report?.([{ isIntersecting } as IntersectionObserverEntry], {} as IntersectionObserver))
      })
    })
    const report = (place: 'start' | 'end', inView: boolean) => {
      act(() => { reports.at(place === 'start' ? -2 : -1)?.(inView) })
    }
    const comeIntoView = (place: 'start' | 'end') => {
      report(place, true)
    }

    it('is not approved: the beginning of the input', async () => {
      desk.put(sampleCall())
      const dialog = await host.open()
      report('start', false)
      await armed()
      expect(dialog.textContent).toContain('Scroll to the input to approve')
      await press('Approve')
      fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
      await tick(0)
      expect(desk.answers).toEqual([])
      comeIntoView('start')
      comeIntoView('end')
      await armed()
      expect(inert('Approve')).toBe(false)
    })

    it.each(['low', 'medium', 'high'] as const)('is not approved: at %s risk its end, unless the person says so', async (risk) => {
      desk.put(sampleCall({ risk }))
      await host.open()
      comeIntoView('start')
      await armed()
      expect(inert('Approve')).toBe(true) // nobody knows what is in view
      expect(screen.queryByLabelText('I have not read all of it')).toBeNull()
      report('end', false)
      await armed()
      expect(inert('Approve')).toBe(true)
      fireEvent.click(screen.getByLabelText('I have not read all of it'))
      expect(inert('Approve')).toBe(true)
      await armed()
      expect(inert('Approve')).toBe(false)
    })

    it('is read when its end was in view', async () => {
      desk.put(sampleCall({ risk: 'high' }))
      await host.open()
      comeIntoView('start')
      comeIntoView('end')
      await armed()
      expect(inert('Approve')).toBe(false)
      expect(screen.queryByLabelText('I have not read all of it')).toBeNull()
    })
  })

  it('is not read while a middle of what it would write is folded, though its end was in view', async () => {
    const lines = [sampleLine('added', 'x'.repeat(13_000))]
    const call = sampleCall()
    desk.put(call)
    desk.looks.set(call.id, sampleLook({ file: sampleFile({ lines, added: lines.length }) }))
    await host.open()
    await armed()
    expect(inert('Approve')).toBe(true)
    expect(screen.getByLabelText('I have not read all of it')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
    await armed()
    expect(screen.queryByLabelText('I have not read all of it')).toBeNull()
    expect(inert('Approve')).toBe(false)
  })
})

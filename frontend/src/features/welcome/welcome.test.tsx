import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Call, Offer, RuleForm } from '../../desk/types'
import { renderAt } from '../../test/render'
import { sampleCall, sampleOffer, sampleRule } from '../../test/samples'
import { FirstRule } from './first-rule'
import { Welcome } from './welcome'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  localStorage.clear()
})

/** In the place of the apps that were found, which the page puts there. */
function Found({ onPanel }: { onPanel: (open: boolean) => void }) {
  return <button onClick={() => { onPanel(true) }}>the apps</button>
}

const show = () =>
  renderAt(
    desk,
    <main id="content" tabIndex={-1}>
      <Welcome Found={Found} FirstRule={FirstRule}>
        nothing waits
      </Welcome>
    </main>,
  )

const answered = (part: Partial<Call> = {}, approved = true): Call =>
  sampleCall({
    id: 'first',
    status: approved ? 'completed' : 'declined',
    decision: { by: 'person', approved, code: null, params: {}, reason: '', scope: 'once', ruleId: null, grantId: null, decidedAt: '2026-01-01T00:00:00.000Z', remembered: null, count: 0 },
    ...part,
  })

const form: RuleForm = { serverId: 'filesystem', toolName: 'write_file', toolPattern: null, effect: 'allow', priority: 10, enabled: true, note: '', condition: 'risk != "high"' }
const offer = (part: Partial<Offer> = {}): Offer => ({ ...sampleOffer(form, { folder: '/home/mika/notes' }), first: true, ...part })

describe('a new desk', () => {
  it('shows what was found, the way by hand, and a call to try it with', async () => {
    show()
    await screen.findByRole('heading', { name: 'Welcome to the checkpoint' })
    expect(screen.getByRole('button', { name: 'the apps' })).toBeTruthy()
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['#/servers', '#/agents'])
    expect(screen.getAllByRole('button').at(-1)?.textContent).toBe('Send a demo call')
  })

  it('says when the demo call cannot be sent', async () => {
    const demo = vi.spyOn(desk, 'demo')
    show()
    const button = await screen.findByRole('button', { name: 'Send a demo call' })
    desk.failures.set('demo', new DeskError({ code: 'unavailable', message: '' }))
    fireEvent.click(button)
    await screen.findByText('The desk is closing or busy. Try again.')
    desk.failures.clear()
    fireEvent.click(button)
    await waitFor(() => {
      expect(screen.queryByRole('alert')).toBeNull()
    })
    expect(demo).toHaveBeenCalledTimes(2)
  })

  it('goes on waiting through demonstrations and checks of the desk’s own, and through rules', async () => {
    const canary = answered({ id: 'check' }, false)
    desk.kept = [sampleCall({ status: 'completed', agentName: 'sekisho-demo' }), { ...canary, decision: canary.decision && { ...canary.decision, by: 'desk', code: 'canary' } }]
    desk.ruleList = [sampleRule()]
    show()
    await screen.findByText('Welcome to the checkpoint')
    act(() => {
      desk.put(answered())
    })
    await screen.findByText('nothing waits') // there are rules, so none is a first one
  })
})

describe('after the first call', () => {
  it('offers the safe rule for that very call in words, and makes it', async () => {
    desk.kept = [answered(), answered({ id: 'second', agentName: 'another' })]
    desk.widenings = [sampleOffer({ ...form, toolName: null }), offer()]
    const widen = vi.spyOn(desk, 'widen')
    show()
    const make = await screen.findByRole('button', { name: 'Make this rule' })
    expect(widen).toHaveBeenCalledWith({ callId: 'first' })
    expect(document.body.textContent).toContain('calls like this one of helper pass without a question')
    expect(document.body.textContent).toContain('Allow write_file on filesystem, in /home/mika/notes')
    expect(desk.ruleList).toEqual([])
    desk.failures.set('createRule', new DeskError({ code: 'unavailable', message: '' }))
    fireEvent.click(make)
    await screen.findByRole('alert')
    desk.failures.clear()
    fireEvent.click(make)
    await screen.findByText(/^The rule is made/)
    expect(desk.ruleList).toMatchObject([{ toolName: 'write_file', effect: 'allow', condition: 'risk != "high"' }])
    expect(document.activeElement?.textContent).toContain('The rule is made')
    expect(screen.queryByRole('button', { name: 'Make this rule' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Close' }))
    await screen.findByText('nothing waits')
  })

  it('leaves it, and is not seen again', async () => {
    desk.kept = [answered()]
    desk.widenings = [offer()]
    const { unmount } = show()
    fireEvent.click(await screen.findByRole('button', { name: 'Leave it' }))
    await screen.findByText('nothing waits')
    expect(document.activeElement?.id).toBe('content')
    expect(desk.ruleList).toEqual([])
    unmount()
    show()
    await screen.findByText('nothing waits')
  })

  it.each<[string, Call, Offer[]]>([
    ['a call that was declined', answered({}, false), [offer()]],
    ['a call of high risk', answered({ risk: 'high' }), [offer()]],
    ['one for which the desk has none', answered(), []],
    ['one for which none comes first', answered(), [offer({ first: false })]],
    ['a rule that reaches high risk', answered(), [{ ...sampleOffer(form, { maxRisk: 'high' }), first: true }]],
    ['a rule that would have let high risk pass', answered(), [{ ...sampleOffer(form, {}, { calls: 1, maxRisk: 'high' }), first: true }]],
    ['a rule for what was declined before', answered(), [{ ...sampleOffer(form, {}, { calls: 1, declined: 1 }), first: true }]],
    ['a rule that does not allow', answered(), [offer({ rule: { ...form, effect: 'ask' } })]],
  ])('offers nothing for %s', async (_, call, offers) => {
    desk.kept = [call]
    desk.widenings = offers
    show()
    await screen.findByText(/^No rule is offered for it/)
    expect(screen.queryByRole('button', { name: 'Make this rule' })).toBeNull()
    expect(screen.getAllByRole('button').at(-1)?.textContent).toBe('Close')
  })

  it('takes no call that nobody answered for it', async () => {
    desk.kept = [sampleCall({ id: 'expired', status: 'expired' }), answered()]
    desk.widenings = [offer()]
    const widen = vi.spyOn(desk, 'widen')
    const { unmount } = show()
    await screen.findByRole('button', { name: 'Make this rule' })
    expect(widen).toHaveBeenCalledWith({ callId: 'first' })
    unmount()
    desk.kept = [sampleCall({ id: 'expired', status: 'expired' })]
    show()
    await screen.findByText('Welcome to the checkpoint')
  })

  it('says nothing of a first call on a desk that has seen a hundred', async () => {
    desk.kept = Array.from({ length: 120 }, (_, i) => answered({ id: `c${String(i)}` }))
    desk.widenings = [offer()]
    show()
    await screen.findByText('nothing waits')
  })
})

import { act, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { FakeDesk } from '../desk/fake-desk'
import { part as found } from '../features/agents/found-part'
import { firstRule, part as welcome } from '../features/welcome/part'
import { renderAt } from '../test/render'
import { sampleCall, sampleDecision, sampleRule } from '../test/samples'
import { LateWelcome } from './late-welcome'
import { forgetPart } from './open-part'

const never = new Promise<never>(() => undefined)

afterEach(() => {
  forgetPart(welcome)
  forgetPart(found)
  forgetPart(firstRule)
  localStorage.clear()
})

it('loads nothing of the welcome on a desk that needs none', async () => {
  const loads = [vi.spyOn(welcome, 'load'), vi.spyOn(found, 'load'), vi.spyOn(firstRule, 'load')]
  const desk = new FakeDesk()
  desk.ruleList = [sampleRule()]
  desk.kept = [sampleCall({ status: 'completed', decision: sampleDecision({ by: 'person' }) })]
  renderAt(desk, <LateWelcome>nothing waits</LateWelcome>)
  await screen.findByText('nothing waits')
  for (const load of loads) expect(load).not.toHaveBeenCalled()
})

it('loads the apps that were found beside the welcome, not after it', async () => {
  vi.spyOn(welcome, 'load').mockReturnValue(never)
  const load = vi.spyOn(found, 'load').mockReturnValue(never)
  renderAt(new FakeDesk(), <LateWelcome>nothing waits</LateWelcome>)
  await vi.waitFor(() => {
    expect(load).toHaveBeenCalledOnce()
  })
})

it('leaves it to the welcome to say that it is over', async () => {
  const Welcome = () => <p>the rule that was made</p>
  vi.spyOn(welcome, 'load').mockResolvedValue(Welcome as unknown as Awaited<ReturnType<typeof welcome.load>>)
  const desk = new FakeDesk()
  desk.kept = [sampleCall({ status: 'completed', decision: sampleDecision({ by: 'person' }) })]
  renderAt(desk, <LateWelcome>nothing waits</LateWelcome>)
  await screen.findByText('the rule that was made')
  act(() => {
    desk.ruleList = [sampleRule()]
    desk.hint('rules.changed')
  })
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(screen.queryByText('nothing waits')).toBeNull()
})

const waiting = () => [sampleCall()]
const answered = () => [sampleCall({ status: 'completed', decision: sampleDecision({ by: 'person' }) })]

it('loads what follows the first call while that waits', async () => {
  const load = vi.spyOn(firstRule, 'load')
  const desk = new FakeDesk()
  renderAt(desk, <LateWelcome>nothing waits</LateWelcome>)
  await screen.findByText('Welcome to the checkpoint')
  expect(load).not.toHaveBeenCalled()
  desk.kept = waiting()
  act(() => {
    desk.hint('call.created')
  })
  await vi.waitFor(() => {
    expect(load).toHaveBeenCalledOnce()
  })
  desk.kept = answered()
  act(() => {
    desk.hint('call.decided')
  })
  await screen.findByRole('heading', { name: 'The first call was answered' })
})

it('stands alone where what follows the first call cannot be loaded', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(firstRule, 'load').mockRejectedValueOnce(new Error('no answer'))
  const desk = new FakeDesk()
  desk.kept = answered()
  renderAt(desk, <LateWelcome>nothing waits</LateWelcome>)
  await screen.findByText('nothing waits')
})

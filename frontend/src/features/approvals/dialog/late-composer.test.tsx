import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import { renderAt } from '../../../test/render'
import { sampleCall, sampleOffer } from '../../../test/samples'
import { ApprovalDialog } from './approval-dialog'

const late = vi.hoisted(() => {
  let come: () => void = () => undefined
  const there = new Promise<void>((resolve) => {
    come = resolve
  })
  return { come, there }
})

vi.mock('../composer/rule-choice', async (original) => {
  await late.there
  return original()
})

it('a rule is not saved before what shows it is loaded', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  const desk = new FakeDesk()
  const call = sampleCall({ risk: 'low' })
  desk.put(call)
  desk.widenings = [
    sampleOffer({ serverId: 'filesystem', toolName: call.toolName, toolPattern: null, effect: 'allow', priority: 7, enabled: true, note: '' }),
  ]
  const preview = vi.spyOn(desk, 'preview')
  const onAnswer = vi.fn().mockResolvedValue(null)
  renderAt(desk, <ApprovalDialog call={call} position={1} total={1} onAnswer={onAnswer} onLater={vi.fn()} trusts={() => true} />)
  fireEvent.click(screen.getByRole('button', { name: 'Always…' }))
  const save = screen.getByRole('button', { name: 'Save the rule and approve' })
  const press = () => {
    fireEvent.pointerDown(save)
    fireEvent.pointerUp(save)
    fireEvent.click(save, { detail: 1 })
  }
  expect(screen.getByText('Loading…')).toBeTruthy()
  await new Promise((passed) => setTimeout(passed, 1000)) // longer than it takes to arm
  press()
  expect([screen.queryByRole('radio'), preview.mock.calls, desk.ruleList, onAnswer.mock.calls]).toEqual([null, [], [], []])
  late.come()
  await screen.findByRole('radio')
  await waitFor(() => {
    press()
    expect(onAnswer).toHaveBeenCalled()
  })
  expect(desk.ruleList).toHaveLength(1)
})

import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import { sampleCommand } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { CommandShape } from './command-shape'

const steps = () => [...screen.getByRole('list', { name: 'The command, one step a line' }).children].map((step) => step.textContent)

it('folds blank lines with their number, so that what follows is in view', () => {
  renderAt(new FakeDesk(), <CommandShape command={sampleCommand([[['comment', '# harmless'], ['blank', '\n'.repeat(401)]], [['program', 'rm'], ['word', ' -rf ~']]])} />)
  expect(steps()).toEqual(['# harmless\n400 blank lines are folded hereShow all', 'rm -rf ~'])
  fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
  expect(steps()[0]).toBe(`# harmless${'\n'.repeat(401)}`)
})

it('folds steps that are the same, and no other one', () => {
  const ok = () => [['program', 'echo'], ['word', ' ok\n']] as [['program', string], ['word', string]]
  const hidden = [['program', 'echo'], ['word', ' o\u200bk\n']] as [['program', string], ['word', string]]
  renderAt(new FakeDesk(), <CommandShape command={sampleCommand([...Array.from({ length: 200 }, ok), hidden, ...Array.from({ length: 200 }, ok)])} />)
  expect(steps()).toHaveLength(5)
  expect(steps()[1]).toBe('the same line 199 more timesShow all')
  expect(steps()[2]).toContain('U+200B')
  fireEvent.click(screen.getAllByRole('button', { name: 'Show all' })[0] as HTMLElement)
  expect(steps()).toHaveLength(203)
})

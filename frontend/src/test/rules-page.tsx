import { fireEvent, screen, within } from '@testing-library/react'
import type { FakeDesk } from '../desk/fake-desk'
import { RulesScreen } from '../features/rules/rules-screen'
import { renderAt } from './render'

/** Shows the rules of a desk, at an address, and waits until they are there. */
export async function openRules(desk: FakeDesk, hash = ''): Promise<void> {
  window.history.replaceState(null, '', hash)
  renderAt(desk, <RulesScreen />)
  await screen.findByText('Nothing matched')
}

/** Opens one of the things that can be done with all rules. */
export async function openPanel(button: RegExp, title: string): Promise<HTMLElement> {
  fireEvent.click(await screen.findByRole('button', { name: button }))
  return screen.getByRole('region', { name: title })
}

/** The tools of the rules in the list, of those that a test speaks of. */
export function toolsInOrder(names: RegExp): string[] {
  const rows = within(screen.getByRole('list', { name: 'Rules in the order of judgement' })).getAllByRole('listitem')
  return rows.flatMap((row) => names.exec(row.textContent)?.[1] ?? [])
}

export function write(element: Element, value: string): void {
  fireEvent.change(element, { target: { value } })
}

import { fireEvent, screen, within } from '@testing-library/react'

/** Chooses an option of a select that was found, by its words. */
export async function choose(select: HTMLElement, option: string): Promise<void> {
  fireEvent.click(select)
  const list = await screen.findByRole('listbox')
  fireEvent.click(within(list).getByRole('option', { name: option }))
}

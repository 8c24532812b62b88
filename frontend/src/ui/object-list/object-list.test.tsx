import { act, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { Modal } from '../modal'
import { ObjectList } from './object-list'
import { ObjectRow } from './object-row'
import { RowHeading } from './row-heading'

interface Host { items: string[]; onOpen?: (item: string) => void; flat?: boolean }

/** Items "a1", "a2", "b1": under a heading by their first letters. */
function Host({ items, onOpen, flat = false }: Host) {
  const names = [...new Set(items.map((item) => item.slice(0, 1)))]
  const groups = names.map((key) => ({ key, items: items.filter((item) => item.startsWith(key)) }))
  return (
    <main tabIndex={-1}>
      <ObjectList label="things" groups={groups} keyOf={(item) => item} estimate={50} flat={flat} {...(onOpen ? { onOpen } : {})} heading={(group, state) => <RowHeading state={state} name={`of ${group.key}`} />}>
        {(item, state) => (
          <ObjectRow state={state} sentence={item} age="now" below={<button type="button">below {item}</button>}
            actions={<><button type="button">one {item}</button><button type="button">two {item}</button></>} />
        )}
      </ObjectList>
    </main>
  )
}

const at = () => {
  const row = document.activeElement?.closest('[role="row"]')
  return document.activeElement === row ? row?.getAttribute('data-key') : document.activeElement?.textContent
}
const press = (...keys: string[]) => {
  for (const key of keys) fireEvent.keyDown(document.activeElement ?? document.body, { key })
  return at()
}
const stops = () => screen.getAllByRole('row').filter((row) => row.tabIndex === 0).map((row) => row.getAttribute('data-key'))

it('is one stop of Tab, at its first item, and arrows, J and K, Home and End lead to every row', () => {
  render(<Host items={['a1', 'a2', 'b1']} />)
  expect(stops()).toEqual(['a1'])
  expect(press('j')).toBe('a1') // from nowhere into the list
  expect(press('ArrowDown')).toBe('a2')
  expect(press('ArrowDown')).toBe('group b')
  expect(press('j')).toBe('b1')
  expect(press('j')).toBe('b1')
  expect(press('k')).toBe('a2') // over the heading
  expect(press('Home')).toBe('group a')
  expect(press('End')).toBe('b1')
  expect(press('ArrowUp')).toBe('group b')
  expect(stops()).toEqual(['group b'])
})

it('leads by Right to what can be done with a row, and back by Left and Escape', () => {
  render(<Host items={['a1', 'a2']} flat />)
  press('j')
  expect(press('ArrowRight')).toBe('one a1')
  expect(press('ArrowRight')).toBe('two a1')
  expect(press('ArrowRight')).toBe('two a1')
  expect(press('ArrowLeft')).toBe('one a1')
  expect(press('ArrowLeft')).toBe('a1')
  expect(press('ArrowRight', 'ArrowRight', 'Escape')).toBe('a1')
  expect(press('ArrowRight', 'j')).toBe('a2')
  expect(press('ArrowLeft')).toBe('group a')
})

it('leaves Escape on an action to the dialog that it stands in, as on its row', () => {
  const onDismiss = vi.fn()
  render(<Modal onDismiss={() => undefined} onKeyDown={onDismiss}><Host items={['a1', 'a2']} flat /></Modal>)
  document.querySelector<HTMLElement>('[data-focus-home]')?.focus()
  expect(press('ArrowRight')).toBe('one a1')
  onDismiss.mockClear()
  expect(press('Escape')).toBe('one a1')
  expect(onDismiss).toHaveBeenCalledOnce()
})

it('has the actions of one row alone in the order of Tab', () => {
  render(<Host items={['a1', 'a2']} flat />)
  const tabbable = () => screen.getAllByRole('button').filter((button) => button.tabIndex === 0).map((button) => button.textContent)
  expect(tabbable()).toEqual(['one a1', 'two a1'])
  press('j', 'j')
  expect(tabbable()).toEqual(['one a2', 'two a2'])
})

it('opens by Enter and by a press on a row, but not by one on an action', () => {
  const onOpen = vi.fn()
  render(<Host items={['a1', 'a2']} flat onOpen={onOpen} />)
  press('j', 'j', 'Enter')
  expect(onOpen.mock.calls).toEqual([['a2']])
  fireEvent.click(screen.getByText('a1'))
  expect(onOpen.mock.calls).toEqual([['a2'], ['a1']])
  fireEvent.click(screen.getByRole('button', { name: 'one a1' }))
  expect(onOpen).toHaveBeenCalledTimes(2)
  expect(press('ArrowRight', 'Enter')).toBe('one a2')
  expect(onOpen).toHaveBeenCalledTimes(2)
})

it('shows what is below a row by Enter or Right, and takes it away by Escape or Left', () => {
  render(<Host items={['a1']} />)
  press('j')
  const row = () => document.querySelector('[data-key="a1"]')
  expect(row()?.getAttribute('aria-expanded')).toBe('false')
  press('Enter')
  expect(row()?.getAttribute('aria-expanded')).toBe('true')
  screen.getByRole('button', { name: 'below a1' }).focus()
  expect(press('j')).toBe('below a1') // what is below has keys of its own
  expect(press('Escape')).toBe('a1')
  press('Escape')
  expect(row()?.getAttribute('aria-expanded')).toBe('false')
  press('ArrowRight')
  expect(screen.getByText('below a1')).toBeTruthy()
  press('ArrowLeft')
  expect(screen.queryByText('below a1')).toBeNull()
})

it('folds a group by Left on its heading', () => {
  render(<Host items={['a1', 'a2', 'b1']} />)
  press('j', 'Home', 'ArrowLeft')
  expect(screen.getAllByRole('row').map((row) => row.getAttribute('data-key'))).toEqual(['group a', 'group b', 'b1'])
  expect(press('ArrowDown', 'ArrowDown')).toBe('b1')
  expect(press('Home')).toBe('group a')
  press('ArrowRight')
  expect(screen.getAllByRole('row')).toHaveLength(5)
})

it('keeps the focus when rows leave: it is on the row that has come to the place, or on the last, or on the screen', async () => {
  const { rerender } = render(<Host items={['a1', 'a2', 'a3', 'a4']} flat />)
  const take = (items: string[]) => { rerender(<Host items={items} flat />) }
  const settled = () => act(async () => {})
  press('j', 'j')
  take(['a1', 'a3', 'a4'])
  await settled()
  expect(at()).toBe('a3')
  press('ArrowRight')
  take(['a1', 'a4'])
  await settled()
  expect(at()).toBe('a4')
  take(['a1'])
  await settled()
  expect(at()).toBe('a1')
  take([])
  await settled()
  expect(document.activeElement?.tagName).toBe('MAIN')
})

it('keeps the row that has the focus when others come and leave', () => {
  const { rerender } = render(<Host items={['a1', 'a2']} />)
  const take = (items: string[]) => { rerender(<Host items={items} />) }
  press('j', 'j')
  take(['a0', 'a1', 'a2', 'a3'])
  expect(at()).toBe('a2')
  take(['a2', 'a3'])
  expect(at()).toBe('a2')
})

it('has the focus again after a dialog, also when the row that led to it has left', async () => {
  function Page() {
    const [open, setOpen] = useState(true)
    return <>{open && <Modal onDismiss={() => { setOpen(false) }}><h2 tabIndex={-1} data-first-focus>dialog</h2></Modal>}<Host items={['a1', 'a2']} /></>
  }
  render(<Page />)
  expect(document.activeElement?.textContent).toBe('dialog')
  expect(press('j')).toBe('dialog')
  fireEvent(screen.getByRole('dialog'), new Event('cancel', { cancelable: true }))
  await act(async () => {})
  expect(at()).toBe('a1')
})

it('says what it is to assistive technology', () => {
  render(<Host items={['a1', 'a2', 'b1']} flat />)
  expect(screen.getByRole('treegrid', { name: 'things' }).getAttribute('aria-rowcount')).toBe('5')
  expect(screen.getAllByRole('row').map((row) => ['aria-level', 'aria-rowindex', 'aria-posinset', 'aria-setsize', 'aria-expanded'].map((name) => row.getAttribute(name)).join())).toEqual(['1,1,,,true', '2,2,1,3,', '2,3,2,3,', '1,4,,,true', '2,5,3,3,'])
})

it('leaves keys alone that belong to a field or another part of the page', () => {
  render(<><input aria-label="field" /><Host items={['a1']} /></>)
  screen.getByLabelText('field').focus()
  press('j')
  expect(document.activeElement).toBe(screen.getByLabelText('field'))
})

import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { choose } from '../test/choose'
import { Select } from './select'

const fruits = [['a', 'Apple'], ['b', 'Banana'], ['c', 'Blackberry'], ['d', 'Cherry']] as const

function Fruit({ disabled = false, onKeyDown }: { disabled?: boolean; onKeyDown?: () => void }) {
  const [value, setValue] = useState<(typeof fruits)[number][0]>('b')
  return (
    <div onKeyDown={onKeyDown}>
      <Select label="Fruit" value={value} disabled={disabled} options={fruits} onChange={setValue} />
    </div>
  )
}

const box = () => screen.getByRole('combobox', { name: 'Fruit' })
const active = () => document.getElementById(box().getAttribute('aria-activedescendant') ?? '')?.textContent
const press = (...keys: string[]) => {
  for (const key of keys) fireEvent.keyDown(box(), { key })
}

describe('a select', () => {
  it('says what is chosen, and opens a list of all at it', async () => {
    render(<Fruit />)
    expect(box().textContent).toBe('Banana')
    expect(box().getAttribute('aria-expanded')).toBe('false')
    fireEvent.click(box())
    expect(box().getAttribute('aria-expanded')).toBe('true')
    const list = await screen.findByRole('listbox', { name: 'Fruit' })
    expect(box().getAttribute('aria-controls')).toBe(list.id)
    expect(screen.getAllByRole('option').map((option) => [option.textContent, option.getAttribute('aria-selected')])).toEqual([
      ['Apple', 'false'], ['Banana', 'true'], ['Blackberry', 'false'], ['Cherry', 'false'],
    ])
    expect(active()).toBe('Banana')
    fireEvent.click(box())
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('is chosen from by a pointer and by keys', async () => {
    render(<Fruit />)
    await choose(box(), 'Cherry')
    expect(box().textContent).toBe('Cherry')
    press('ArrowUp')
    expect(active()).toBe('Cherry')
    press('ArrowUp', 'ArrowUp', 'Enter')
    expect(box().textContent).toBe('Banana')
    press('ArrowDown', 'End', 'ArrowDown', ' ')
    expect(box().textContent).toBe('Cherry')
    press('ArrowDown', 'Home', 'Tab')
    expect(box().textContent).toBe('Apple')
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('goes to what is typed; one letter again and again goes from one to the next', async () => {
    render(<Fruit />)
    press('b')
    await screen.findByRole('listbox')
    expect(active()).toBe('Blackberry')
    press('b')
    expect(active()).toBe('Banana')
    press('l')
    expect(active()).toBe('Blackberry')
    press('z')
    expect(active()).toBe('Blackberry')
  })

  it('is closed by Escape, which then does nothing else, and by leaving it; neither chooses', () => {
    const outer = vi.fn()
    render(<Fruit onKeyDown={outer} />)
    press('ArrowDown', 'ArrowDown')
    outer.mockClear()
    press('Escape')
    expect(outer).not.toHaveBeenCalled()
    expect(box().getAttribute('aria-expanded')).toBe('false')
    press('Escape')
    expect(outer).toHaveBeenCalledTimes(1)
    press('ArrowDown', 'ArrowDown')
    fireEvent.blur(box())
    expect(box().getAttribute('aria-expanded')).toBe('false')
    expect(box().textContent).toBe('Banana')
  })

  it('does nothing where it is disabled', () => {
    render(<Fruit disabled />)
    fireEvent.click(box())
    expect(box()).toHaveProperty('disabled', true)
    expect(box().getAttribute('aria-expanded')).toBe('false')
  })
})

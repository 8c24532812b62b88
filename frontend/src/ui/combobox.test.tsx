import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Combobox } from './combobox'

function Server({ onKeyDown }: { onKeyDown?: (key: string) => void }) {
  const [value, setValue] = useState('')
  return (
    <div onKeyDown={(event) => onKeyDown?.(event.key)}>
      <Combobox label="Server" hint="any" value={value} options={['files', 'git', 'mail']} onChange={setValue} />
    </div>
  )
}

const box = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Server' })
const options = () => screen.queryAllByRole('option').map((option) => option.textContent)
const type = (value: string) => fireEvent.change(box(), { target: { value } })
const press = (...keys: string[]) => {
  for (const key of keys) fireEvent.keyDown(box(), { key })
}

describe('a combobox', () => {
  it('takes any text, and offers what fits it', async () => {
    render(<Server />)
    type('i')
    await screen.findByRole('listbox', { name: 'Server' })
    expect(options()).toEqual(['files', 'git', 'mail'])
    type('GI')
    expect(options()).toEqual(['git'])
    type('other')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect(box().value).toBe('other')
    expect(box().getAttribute('aria-expanded')).toBe('false')
  })

  it('is chosen from by keys and by a pointer; Enter with nothing chosen is the form’s', async () => {
    const outer = vi.fn()
    render(<Server onKeyDown={outer} />)
    type('i')
    press('Enter')
    expect(outer).toHaveBeenCalledWith('Enter')
    outer.mockClear()
    press('ArrowDown', 'ArrowDown')
    await screen.findByRole('listbox')
    expect(document.getElementById(box().getAttribute('aria-activedescendant') ?? '')?.textContent).toBe('git')
    press('Enter')
    expect(outer).not.toHaveBeenCalled()
    expect(box().value).toBe('git')
    press('ArrowUp', 'Tab')
    expect(box().value).toBe('mail')
    press('ArrowDown')
    fireEvent.click(screen.getByRole('option', { name: 'files' }))
    expect(box().value).toBe('files')
  })

  it('is closed by Escape, which then does nothing else', () => {
    const outer = vi.fn()
    render(<Server onKeyDown={outer} />)
    type('g')
    press('Escape')
    expect(outer).not.toHaveBeenCalled()
    expect(box().value).toBe('g')
    expect(box().getAttribute('aria-expanded')).toBe('false')
    press('Escape')
    expect(outer).toHaveBeenCalledWith('Escape')
  })
})

import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { DateField } from './date-field'
import { instantOf, localTime } from './local-time'

function Until() {
  const [value, setValue] = useState('')
  const say = (at: string | null | undefined) => (at === undefined ? 'no time' : at === null ? 'for ever' : `until ${localTime(at)}`)
  return <DateField label="Until" form="yyyy" value={value} presets={[['soon', () => '2031-02-03 04:05'], ['ever', () => '']]} say={say} onChange={setValue} />
}

describe('a date field', () => {
  it('says in words what is written or chosen', () => {
    render(<Until />)
    const field = screen.getByLabelText<HTMLInputElement>('Until')
    const said = () => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent
    expect(said()).toBe('for ever')
    fireEvent.change(field, { target: { value: '2031-01-02' } })
    expect(said()).toBe('until 2031-01-02 23:59:59')
    fireEvent.change(field, { target: { value: '2031-01-32' } })
    expect(said()).toBe('no time')
    fireEvent.click(screen.getByRole('button', { name: 'soon' }))
    expect(field.value).toBe('2031-02-03 04:05')
    fireEvent.click(screen.getByRole('button', { name: 'ever' }))
    expect(said()).toBe('for ever')
  })

  it('takes a day or a time, and no day that there is not', () => {
    expect(instantOf(' ')).toBeNull()
    expect(instantOf('2031-1-2 3:04')).toBe(new Date(2031, 0, 2, 3, 4).toISOString())
    for (const text of ['x', '2031-02-29', '2031-13-01', '2031-01-01 24:00', '2031-01-01 10:60', '2031-01-01 1', '12:30']) expect(instantOf(text), text).toBeUndefined()
  })
})

import { fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { JsonView, type JsonWords } from './json-view'

const words: JsonWords = {
  label: 'input',
  noParameters: 'nothing in it',
  notJson: 'not JSON',
  hidden: (n) => `${String(n)} hidden`,
  folded: (n) => `${String(n)} folded`,
  size: (n) => `${String(n)} long`,
  showAll: 'all',
  copy: 'copy',
  copied: 'copied',
}

describe('JsonView', () => {
  it('folds a long text and shows all of it when asked', () => {
    const raw = JSON.stringify({ list: Array.from({ length: 250_000 }, (_, i) => i), end: 'a\u200bz' })
    render(<JsonView raw={raw} words={words} />)
    const code = screen.getByLabelText('input')
    expect(code.textContent).toContain('"end": "a⟦U+200B⟧z"')
    expect(code.textContent.length).toBeLessThan(raw.length / 3)
    expect(screen.getByText(/^\d+ folded$/)).toBeTruthy()
    expect(screen.getByText('1 hidden')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'all' }))
    expect(code.textContent.replace(/\s/g, '').replace('⟦U+200B⟧', '\u200b')).toBe(raw)
  })

  it('keeps lines of text that is not JSON, and marks the rest', () => {
    render(<JsonView raw={"{'a':\n1}\u202e"} words={words} />)
    expect(screen.getByLabelText('input').textContent).toBe("{'a':\n1}⟦U+202E⟧")
    expect(screen.getByText('not JSON')).toBeTruthy()
  })

  it('copies exactly what was sent', async () => {
    const writeText = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
    render(<JsonView raw={' { "n":5.0 }'} words={words} />)
    fireEvent.click(screen.getByRole('button', { name: 'copy' }))
    await screen.findByText('copied')
    expect(writeText).toHaveBeenCalledWith(' { "n":5.0 }')
    vi.unstubAllGlobals()
  })
})

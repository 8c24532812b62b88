import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { JsonView } from './json-view'
import type { JsonWords } from './json-words'

const words: JsonWords = {
  label: 'input',
  noParameters: 'nothing in it',
  notJson: 'not JSON',
  counting: 'counting',
  foreign: (n) => `${String(n)} foreign`,
  hidden: (n) => `${String(n)} hidden`,
  long: (n, folded) => `${String(n)}, without ${String(folded)}`,
  folded: (n) => `${String(n)} folded`,
  characters: (n) => `${String(n)} long`,
  lines: (n) => `${String(n)} high`,
  unfolding: 'unfolding',
  showAll: 'all',
  copy: 'copy',
  copied: 'copied',
}

// A busy machine takes its time to read a long text in slices.
const patience = { timeout: 20_000 }

describe('JsonView', () => {
  it('folds a long text, counts what it hides, and shows all of it when asked', async () => {
    const raw = JSON.stringify({ list: Array.from({ length: 250_000 }, (_, i) => i), end: 'a\u200bz' })
    render(<JsonView raw={raw} words={words} />)
    const code = screen.getByLabelText('input')
    expect(code.textContent).toContain('"end":"a⟦U+200B⟧z"')
    expect(screen.getByText('counting')).toBeTruthy()
    expect(screen.getByText(new RegExp(`^${String(raw.length)}, without \\d+$`))).toBeTruthy()
    expect(await screen.findByText('1 hidden', {}, patience)).toBeTruthy()
    expect(screen.queryByText('counting')).toBeNull()
    expect(screen.getByText(/ · 250005 high$/)).toBeTruthy()
    await waitFor(() => {
      expect(code.textContent).toContain('"end": "a⟦U+200B⟧z"')
    }, patience)
    expect(code.textContent.length).toBeLessThan(raw.length / 3)
    expect(screen.getByText(/^\d+ folded$/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'all' }))
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: /all|unfolding/ })).toBeNull()
    }, patience)
    expect(code.textContent.replace(/\s/g, '').replace('⟦U+200B⟧', '\u200b')).toBe(raw)
  }, 60_000)

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

import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { CutText } from './cut-text'

const cut = (text: string, as?: 'path') => render(<CutText as={as}>{text}</CutText>).container.textContent

it('shows a short name whole', () => {
  expect(cut('notes.txt')).toBe('notes.txt')
  expect(cut('x'.repeat(56))).toBe('x'.repeat(56))
})

it('cuts a long path in its middle, and marks what hides at its ends', () => {
  expect(cut(`/home/${'deep/'.repeat(40)}no\u202etes.txt`, 'path')).toBe('/home/deep/deep/deep…deep/deep/deep/no⟦U+202E⟧tes.txt')
})

it('cuts no character and no mark in two', () => {
  expect(cut(`${'e\u0301'.repeat(60)}${'👩‍👩‍👧'.repeat(60)}`)).toMatch(/^(?:e\u0301){20}…/)
  expect(cut(`${'x'.repeat(80)}${'\u200b'.repeat(5000)}end`)).toBe(`${'x'.repeat(20)}…${'x'.repeat(21)}⟦U+200B⟧×5000end`)
})

it('takes a huge name', () => {
  expect(cut('x'.repeat(1_000_000))).toHaveLength(53)
})

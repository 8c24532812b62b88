import { describe, expect, it } from 'vitest'
import { cutText, widthOf } from './cut-text'

const whole = (text: string) => {
  const cut = cutText(text)
  return cut === null ? null : cut.head + cut.tail
}

describe('where a text may be cut', () => {
  it.each([
    ['/home/mika/work/notes.txt', '/home/mika/work', '/notes.txt'],
    ['C:\\Users\\mika\\notes.txt', 'C:\\Users\\mika', '\\notes.txt'],
    ['/home/mika/work/', '/home/mika', '/work/'],
    ['notes.txt', '', 'notes.txt'],
    ['npm run build', '', 'npm run build'],
    ['/x', '', '/x'],
  ])('%j: before the name of the file', (text, head, tail) => {
    expect(cutText(text)).toEqual({ head, tail })
  })

  it('of a file with a very long name shows the end', () => {
    const cut = cutText(`/home/${'a'.repeat(300)}-the-end.txt`)
    expect(cut?.tail).toMatch(/-the-end\.txt$/)
    expect(cut?.tail.length).toBeLessThanOrEqual(40)
  })

  it('of a command shows its end, where the harm may be', () => {
    const cut = cutText(`echo ${'harmless '.repeat(20)}; rm -rf /home/mika/all`)
    expect(cut?.tail).toMatch(/home\/mika\/all$/)
  })

  it.each(['', 'a', '/a/b', 'x'.repeat(100), '/日本/資料.txt'])('loses nothing of %j', (text) => {
    expect(whole(text)).toBe(text)
  })

  it('leaves out the middle of what no line can show', () => {
    const cut = cutText(`${'a/'.repeat(100_000)}end.txt`)
    expect((cut?.head ?? '').length).toBeLessThan(500)
    expect(cut?.head).toMatch(/…$/)
    expect(cut?.tail).toBe('/end.txt')
  })

  it.each(['/etc/pass\u202ewd', '/tmp/a\u200bb', '/home/p\u0430sswd', `/a${' '.repeat(60)}b`, '/a/\u05d0\u05d1'])('is nowhere in %j, which could deceive', (text) => {
    expect(cutText(text)).toBeNull()
  })

  it('counts wide letters twice', () => {
    expect(widthOf('ab')).toBe(2)
    expect(widthOf('日本')).toBe(4)
    expect(widthOf(cutText(`/${'日'.repeat(100)}`)?.tail ?? '')).toBeLessThanOrEqual(20)
  })
})

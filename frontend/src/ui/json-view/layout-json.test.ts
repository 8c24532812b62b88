import { describe, expect, it } from 'vitest'
import { safeCut } from './safe-cut'
import { foldAbove, layoutJson, type Layout } from './layout-json'

const text = (layout: Layout) => layout.head.map((p) => p.text).join('')

/** The raw text without the blanks between tokens. */
function packed(raw: string): string {
  return raw.replace(/"(?:[^"\\]|\\.)*"|\s+/gs, (part) => (part.startsWith('"') ? part : ''))
}

describe('layoutJson', () => {
  it.each([
    ['an object', '{"a":1,"b":[true,null]}', '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ]\n}'],
    ['duplicate keys, both', '{"path":"/ws/a.txt","path":"/etc/shadow"}', '{\n  "path": "/ws/a.txt",\n  "path": "/etc/shadow"\n}'],
    ['a key written with an escape, as sent', '{"\\u0070ath":1}', '{\n  "\\u0070ath": 1\n}'],
    ['integers over 2^53', '[9007199254740993,123456789012345678901234567890]', '[\n  9007199254740993,\n  123456789012345678901234567890\n]'],
    ['numbers as written', '[5.0,1e5,-0,1E+2]', '[\n  5.0,\n  1e5,\n  -0,\n  1E+2\n]'],
    ['the order of keys', '{"b":1,"a":2,"1":3}', '{\n  "b": 1,\n  "a": 2,\n  "1": 3\n}'],
    ['escapes as sent', '{"a":"\\u0041\\/\\n\\""}', '{\n  "a": "\\u0041\\/\\n\\""\n}'],
    ['empty containers', '{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
    ['blanks of the sender, dropped', ' { "a" :\t1 }\r\n', '{\n  "a": 1\n}'],
    ['a lone value', '"x"', '"x"'],
    ['keys of the prototype', '{"__proto__":{"admin":true}}', '{\n  "__proto__": {\n    "admin": true\n  }\n}'],
    ['structure inside of strings', '{"a":"{\\"b\\": [1, 2]}"}', '{\n  "a": "{\\"b\\": [1, 2]}"\n}'],
  ])('shows %s', (_, raw, shown) => {
    const layout = layoutJson(raw)
    expect(layout.json).toBe(true)
    expect(text(layout)).toBe(shown)
    expect(packed(text(layout))).toBe(packed(raw))
  })

  it.each(["{'path':'a'}", '{"a":1', '{"a":1}}', '[1,]', '{"a" 1}', '', 'nul', '01', '"a\nb"', '"\\x"', '[1 2]', '{,}', '+1', '"\\u12"'])('shows %j as it came, because it is not JSON', (raw) => {
    const layout = layoutJson(raw)
    expect(layout.json).toBe(false)
    expect(text(layout)).toBe(raw)
  })

  it.each(['{}', ' { } ', '[]', '[\n]'])('calls %j empty', (raw) => {
    expect(layoutJson(raw).empty).toBe(true)
  })

  it('does not call a value empty', () => {
    expect(layoutJson('{"a":{}}').empty).toBe(false)
    expect(layoutJson('""').empty).toBe(false)
  })

  it.each([
    ['raw', '{"a":"x\u202ey"}', 1],
    ['escaped', '{"a":"x\\u202Ey"}', 1],
    ['a backslash before letters that only look like an escape', '{"a":"\\\\u202e"}', 0],
    ['tag characters, escaped as pairs', '{"a":"\\udb40\\udc20\\udb40\\udc26"}', 2],
    ['line feeds and tabs, which are plain to see', '{"a":"1\\n\\t2"}', 0],
    ['a carriage return', '{"a":"1\\r2"}', 1],
    ['blanks between tokens', '{\n\t"a":\r\n1 }', 0],
    ['combining marks beyond three', `{"a":"a${'\u0301'.repeat(10)}"}`, 7],
    ['ordinary text of many scripts', '{"a":"日本語 Привет ไทย हिन्दी 안녕"}', 0],
  ])('counts hidden characters: %s', (_, raw, count) => {
    expect(layoutJson(raw).hidden).toBe(count)
  })

  it('folds the middle of a long text and keeps its end', () => {
    const raw = JSON.stringify({ command: 'A'.repeat(5_000_000), then: '; rm -rf ~' })
    const layout = layoutJson(raw)
    const shown = [...layout.head, ...layout.tail].map((p) => p.text).join('')
    expect(layout.folded).toBeGreaterThan(4_000_000)
    expect(shown.length).toBeLessThan(foldAbove)
    expect(shown).toContain('"then": "; rm -rf ~"\n}')
    expect(packed(shown).length + layout.folded).toBe(packed(raw).length)
  })

  it('unfolds to everything', () => {
    const raw = JSON.stringify({ list: Array.from({ length: 60_000 }, (_, i) => i) })
    expect(packed(text(layoutJson(raw, true)))).toBe(packed(raw))
  })

  it('keeps a huge whole in blocks that lose nothing', () => {
    const raw = JSON.stringify({ text: '\\"\u200b安'.repeat(200_000), list: Array.from({ length: 100_000 }, (_, i) => i) })
    const { head } = layoutJson(raw, true)
    expect(head.every((p) => p.kind === 'block')).toBe(true)
    expect(packed(text(layoutJson(raw, true)))).toBe(packed(raw))
  })

  it.each(['\\u202e', '\\udb40\\udc41', '\u{1F600}', '\\\\'])('never cuts inside of %s', (unit) => {
    for (let shift = 0; shift < 13; shift++) {
      const raw = `"${'x'.repeat(shift)}${unit.repeat(3000)}"`
      for (let at = 3000; at < 3013; at++) {
        const cut = safeCut(raw, at)
        expect(at - cut).toBeLessThan(unit.length)
        expect((cut - 1 - shift) % unit.length).toBe(0)
      }
    }
  })

  it('lays out any depth without a stack, and without a wall of blanks', () => {
    const layout = layoutJson('['.repeat(50_000) + ']'.repeat(50_000))
    expect(layout.json).toBe(true)
    expect(text(layout).length).toBeLessThan(100_000 * 300)
  })
})

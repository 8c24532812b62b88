import { describe, expect, it } from 'vitest'
import { countSteps } from './count-json'
import { firstLayout, foldAbove, layoutJson, type Layout } from './layout-json'
import { safeCut } from './safe-cut'
import { drain } from './steps'

const count = (raw: string) => drain(countSteps(raw))
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
    expect(count(raw).empty).toBe(true)
  })

  it('does not call a value empty', () => {
    expect(count('{"a":{}}').empty).toBe(false)
    expect(count('""').empty).toBe(false)
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
    ['marks that strike letters out', '{"a":"r\u0336m\u0336"}', 2],
  ])('counts hidden characters: %s', (_, raw, hidden) => {
    expect(count(raw).hidden).toBe(hidden)
  })

  it('counts over all of a huge text, wherever its chunks meet', () => {
    const unit = 'a\\u202eb\u200b\u0301\u0301\u0301\u0301p\u0430y \\\\u202e \\ud83d\\ude00\\udb40\\udc41"'.replaceAll('"', '\\"')
    for (let shift = 0; shift < 5; shift++) {
      const raw = JSON.stringify({ pad: 'x'.repeat(shift) }).slice(0, -2) + unit.repeat(20_000) + '"}'
      expect(count(raw)).toMatchObject({ hidden: 4 * 20_000, foreign: 20_000, json: true, lines: 3 })
    }
  })

  it.each([
    ['{}', 1],
    ['{"a":[1,2],"b":{}}', 7],
    ['[[],[]]', 4],
    ["{'a':\n1}", 2],
  ])('counts the lines of %j', (raw, lines) => {
    expect(count(raw).lines).toBe(lines)
  })

  it('finds the strings that are worth a look of their own, and the way to them', () => {
    const raw = '{"a":"x","b":["y","z\\n",{"c":"\\"","d":"e"}],"l":[[1,"\\t"],["\\r"]],"n":5,"a.b":"\\n","q":{"[0]":"\\n"}}'
    expect(count(raw).strings.map((s) => [s.path, raw.slice(s.start, s.end)])).toEqual([
      ['a', '"x"'],
      ['b[1]', '"z\\n"'],
      ['b[2].c', '"\\""'],
      ['l[0][1]', '"\\t"'],
      ['l[1][0]', '"\\r"'],
      ['["a.b"]', '"\\n"'],
      ['q["[0]"]', '"\\n"'],
    ])
  })

  it('shows the beginning of a huge text at once, as it will stay, and its end as it came', () => {
    const raw = JSON.stringify({ list: Array.from({ length: 250_000 }, (_, i) => i), end: 'a\u200bz' })
    const [first, all] = [firstLayout(raw), layoutJson(raw)]
    expect(text(first)).toBe(text(all))
    expect(first.folded).toBe(all.folded)
    expect(first.tail.map((p) => p.text).join('')).toBe(raw.slice(-20_000))
  })

  it.each([
    ['a string', `{"a":[1,"${'x'.repeat(300_000)}",2],"b":3}`],
    ['a key', `{"a":[1],"${'x'.repeat(300_000)}":{"b":3}}`],
    ['a number', `[[1],${'1'.repeat(300_000)}]`],
    ['blanks', `{"a":1,${' '.repeat(300_000)}"b":2}`],
    ...Array.from({ length: 12 }, (_, n): [string, string] => [`a word, at ${String(n)}`, `{"pad":"${'x'.repeat(n)}","list":[${'true,'.repeat(60_000)}false]}`]),
    ['many escapes', JSON.stringify({ text: '安\u202e"\\\n p\u0430y '.repeat(30_000) })],
  ])('is not misled by a cut within %s', (_, raw) => {
    const [first, all] = [firstLayout(raw), layoutJson(raw)]
    expect(first.json).toBe(true)
    expect(text(first)).toBe(text(all))
    expect(first.folded).toBe(all.folded)
  })

  it('says at once of a long text that its beginning is not JSON', () => {
    expect(firstLayout('{"a":1,' + 'x'.repeat(300_000)).json).toBe(false)
    expect(firstLayout('"a" '.repeat(100_000)).json).toBe(false)
  })

  it('folds a shorter text, too, when most of it is marks', () => {
    const raw = JSON.stringify({ text: 'a\u200bb\u202e'.repeat(10_000), end: 'z' })
    const layout = layoutJson(raw)
    expect(layout.folded).toBeGreaterThan(20_000)
    expect(layout.tail.map((p) => p.text).join('')).toContain('"end": "z"')
    expect(layoutJson(raw, true).folded).toBe(0)
    expect(layoutJson(JSON.stringify({ text: '日本語 '.repeat(20_000) })).folded).toBe(0)
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

  it.each([
    ['of one string', 'A'.repeat(10_000_000)],
    ['of numbers', Array.from({ length: 990_000 }, (_, i) => 1_000_000_000 + i)],
  ])('counts all of ten megabytes %s, and shows their end', (_, text) => {
    const raw = JSON.stringify({ text, then: '; rm -rf ~\u200b' })
    expect(count(raw)).toMatchObject({ hidden: 1, foreign: 0, json: true, lines: typeof text === 'string' ? 4 : 990_005 })
    for (const layout of [firstLayout(raw), layoutJson(raw)]) {
      expect(layout.tail.map((p) => p.text).join('')).toContain('; rm -rf ~\u200b"')
      expect(layout.folded).toBeGreaterThan(9_000_000)
    }
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

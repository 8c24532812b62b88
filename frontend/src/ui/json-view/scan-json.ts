/** Reads JSON text without making values of it: what is shown must be what was sent. */

export type Kind = 'key' | 'string' | 'number' | 'literal' | 'punctuation'

/** One token, as offsets into the raw text. depth is that of what it stands in. */
export type Visit = (kind: Kind, start: number, end: number, depth: number) => void

/** The offset of the first character that is not JSON. */
export class NotJson extends Error {
  readonly at: number

  constructor(at: number) {
    super(`not JSON at ${String(at)}`)
    this.at = at
  }
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const literal = /true|false|null/y
const blanks = /[ \t\n\r]*/y
const plainInString = /[^"\\\u0000-\u001f]*/y // eslint-disable-line no-control-regex -- the grammar of JSON
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** What may come next. */
type Want = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing'

/** Tokens between two steps. */
const stepTokens = 2000

/** Visits every token in order, or throws NotJson. */
export function scanJson(raw: string, visit: Visit): void {
  for (const steps = scanSteps(raw, visit); !steps.next().done; );
}

/** The same in steps, so that a long text need not be read at once. Iterative: depth costs no stack. */
export function* scanSteps(raw: string, visit: Visit): Generator<undefined, void> {
  let tokens = 0
  const open: ('{' | '[')[] = []
  let want: Want = 'value'
  let at = skip(blanks, raw, 0)
  while (want !== 'nothing') {
    const char = raw[at] ?? ''
    const start = at
    if (isEnd(char, want, open.at(-1))) {
      open.pop()
      visit('punctuation', start, (at += 1), open.length)
      want = open.length > 0 ? 'comma-or-end' : 'nothing'
    } else if (want === 'colon' || want === 'comma-or-end') {
      if (char !== (want === 'colon' ? ':' : ',')) throw new NotJson(at)
      visit('punctuation', start, (at += 1), open.length)
      want = want === 'comma-or-end' && open.at(-1) === '{' ? 'key' : 'value'
    } else if (want === 'key' || want === 'key-or-end') {
      at = string(raw, at)
      visit('key', start, at, open.length)
      want = 'colon'
    } else if (char === '{' || char === '[') {
      visit('punctuation', start, (at += 1), open.length)
      open.push(char)
      want = char === '{' ? 'key-or-end' : 'value-or-end'
    } else {
      const kind: Kind = char === '"' ? 'string' : char === '-' || (char >= '0' && char <= '9') ? 'number' : 'literal'
      at = kind === 'string' ? string(raw, at) : must(kind === 'number' ? number : literal, raw, at)
      visit(kind, start, at, open.length)
      want = open.length > 0 ? 'comma-or-end' : 'nothing'
    }
    at = skip(blanks, raw, at)
    if (++tokens % stepTokens === 0) yield
  }
  if (at < raw.length) throw new NotJson(at)
}

function isEnd(char: string, want: Want, open: '{' | '[' | undefined): boolean {
  if (want === 'value-or-end') return char === ']'
  if (want === 'key-or-end') return char === '}'
  return want === 'comma-or-end' && char === (open === '{' ? '}' : ']')
}

function string(raw: string, start: number): number {
  if (raw[start] !== '"') throw new NotJson(start)
  let at = start + 1
  for (;;) {
    at = skip(plainInString, raw, at)
    if (raw[at] === '"') return at + 1
    at = must(escape, raw, at)
  }
}

function skip(pattern: RegExp, raw: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(raw) ? pattern.lastIndex : at
}

function must(pattern: RegExp, raw: string, at: number): number {
  pattern.lastIndex = at
  if (!pattern.test(raw)) throw new NotJson(at)
  return pattern.lastIndex
}

import type { Kind, Visit } from './scan-json'

/** A string value: how to get to it, and where it stands in the text with its quotes. */
export interface FoundString {
  /** The keys on the way as they were written, as in edits[0].newText; in quotes where such a sign is part of one. */
  path: string
  start: number
  end: number
}

/** More than these, nobody looks at one by one. */
const most = 200

/** Notes, on a walk through JSON text, the strings of the outermost object and those that escapes make hard to read. */
export class StringFinder {
  readonly found: FoundString[] = []
  readonly #raw: string
  /** For each open container what leads to the value that comes next: a key, or an index. */
  readonly #way: (string | number)[] = []

  constructor(raw: string) {
    this.#raw = raw
  }

  readonly visit: Visit = (kind, start, end, depth) => {
    if (this.found.length >= most) return
    if (kind === 'punctuation') this.#structure(this.#raw[start] ?? '', depth)
    else if (kind === 'key') this.#way[depth - 1] = this.#raw.slice(start + 1, end - 1)
    else if (this.#notes(kind, start, end, depth)) this.found.push({ path: this.#path(depth), start, end })
  }

  #structure(char: string, depth: number): void {
    if (char === '[') this.#way[depth] = 0
    else if (char === '{') this.#way[depth] = ''
    else if (char === ',') {
      const at = this.#way[depth - 1]
      if (typeof at === 'number') this.#way[depth - 1] = at + 1
    }
  }

  #notes(kind: Kind, start: number, end: number, depth: number): boolean {
    return kind === 'string' && (depth <= 1 || this.#raw.slice(start, end).includes('\\'))
  }

  #path(depth: number): string {
    return this.#way
      .slice(0, depth)
      .map((step, i) => (typeof step === 'number' ? `[${String(step)}]` : /[.[\]]/.test(step) ? `["${step}"]` : (i > 0 ? '.' : '') + step))
      .join('')
  }
}

/** One line of a difference between two texts, or of a text alone. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap'
  text: string
  /** Line numbers, from 1; 0 where there is none. */
  old: number
  new: number
  /** Of a gap: how many lines are left out. */
  count: number
  /** How the line ends where that is odd. */
  ending: '' | 'crlf' | 'none'
}

/** Equal lines that are shown around a change. */
const context = 3

/** Above this many pairs of lines a difference is not searched for: all is then removed and added again. */
const mostPairs = 4_000_000

/** The lines of a text alone, numbered. */
export function textLines(text: string): DiffLine[] {
  return text.split('\n').map((line, i) => {
    const crlf = line.endsWith('\r')
    return { kind: 'same', text: crlf ? line.slice(0, -1) : line, old: 0, new: i + 1, count: 0, ending: crlf ? 'crlf' : '' }
  })
}

/** The difference of two texts line by line; long stretches of equal lines are gaps. Nothing where they are the same. */
export function diffLines(before: string, after: string): DiffLine[] {
  if (before === after) return []
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const writer = new Writer(a, b)
  writer.same(start)
  writer.middle(a.length - end, b.length - end)
  writer.same(end)
  return withGaps(writer.lines)
}

/** Walks through both texts and writes down what it passes. */
class Writer {
  readonly lines: DiffLine[] = []
  readonly #a: string[]
  readonly #b: string[]
  #i = 0
  #j = 0

  constructor(a: string[], b: string[]) {
    this.#a = a
    this.#b = b
  }

  same(count: number): void {
    for (let n = 0; n < count; n++) this.#push('same', this.#b[this.#j] ?? '', ++this.#i, ++this.#j)
  }

  /** Up to these ends, by the longest common subsequence where it is affordable. */
  middle(endA: number, endB: number): void {
    const [n, m] = [endA - this.#i, endB - this.#j]
    if (n * m <= mostPairs) {
      const table = lengths(this.#a.slice(this.#i, endA), this.#b.slice(this.#j, endB))
      const [fromA, fromB] = [this.#i, this.#j]
      while (this.#i < endA && this.#j < endB) {
        const at = (this.#i - fromA) * (m + 1) + (this.#j - fromB)
        if (this.#a[this.#i] === this.#b[this.#j]) this.same(1)
        else if ((table[at + m + 1] ?? 0) >= (table[at + 1] ?? 0)) this.#removed()
        else this.#added()
      }
    }
    while (this.#i < endA) this.#removed()
    while (this.#j < endB) this.#added()
  }

  #removed(): void {
    this.#push('removed', this.#a[this.#i] ?? '', ++this.#i, 0)
  }

  #added(): void {
    this.#push('added', this.#b[this.#j] ?? '', 0, ++this.#j)
  }

  #push(kind: 'same' | 'added' | 'removed', text: string, old: number, now: number): void {
    this.lines.push({ kind, text, old, new: now, count: 0, ending: '' })
  }
}

/** For each pair of places, how many lines the rests behind them have in common. */
function lengths(a: string[], b: string[]): Uint32Array {
  const width = b.length + 1
  const table = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j
      table[at] = a[i] === b[j] ? (table[at + width + 1] ?? 0) + 1 : Math.max(table[at + width] ?? 0, table[at + 1] ?? 0)
    }
  }
  return table
}

function withGaps(lines: DiffLine[]): DiffLine[] {
  const near = new Uint8Array(lines.length)
  lines.forEach((line, i) => {
    if (line.kind !== 'same') near.fill(1, Math.max(0, i - context), i + context + 1)
  })
  const kept: DiffLine[] = []
  lines.forEach((line, i) => {
    const last = kept.at(-1)
    const alone = near[i - 1] !== 0 && near[i + 1] !== 0 // to say that it is left out would take as long
    if (near[i] === 1 || alone) kept.push(line)
    else if (last?.kind === 'gap') last.count++
    else kept.push({ kind: 'gap', text: '', old: 0, new: 0, count: 1, ending: '' })
  })
  return kept
}

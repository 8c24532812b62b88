import type { DiffLine } from './diff-lines'

/** A stretch of a line: whether the other line of its pair has it, too. */
export interface WordPart {
  text: string
  changed: boolean
}

/** Longer lines are compared as a whole. */
const longest = 1_000

/** So many pairs of characters are compared in a difference; the lines behind them are not. */
const mostPairs = 8_000_000

const words = /[\p{L}\p{N}\p{M}_]+|\s+|./gsu

/**
 * What changed within the lines of a difference, by the place of a line. Only lines that stand for each
 * other have it: as many that go as come right behind them, and that have something in common.
 */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<number, readonly WordPart[]> {
  const found = new Map<number, readonly WordPart[]>()
  let left = mostPairs
  for (let i = 0; i < lines.length; ) {
    const gone = runAt(lines, i, 'removed')
    const come = runAt(lines, i + gone, 'added')
    if (gone > 0 && gone === come) {
      for (let n = i; n < i + gone; n++) {
        const [before, after] = [lines[n]?.text ?? '', lines[n + gone]?.text ?? '']
        if ((left -= before.length * after.length) < 0) return found
        const pair = compared(before, after)
        if (pair) found.set(n, pair[0]).set(n + gone, pair[1])
      }
    }
    i += Math.max(1, gone + (gone > 0 ? come : 0))
  }
  return found
}

function runAt(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let to = from
  while (lines[to]?.kind === kind) to++
  return to - from
}

/** Both lines in parts; nothing where less than a third of them is common, since then another line stands there. */
function compared(before: string, after: string): [WordPart[], WordPart[]] | null {
  if (before.length > longest || after.length > longest) return null
  const a: readonly string[] = before.match(words) ?? []
  const b: readonly string[] = after.match(words) ?? []
  const [keptA, keptB] = common(a, b)
  const kept = a.filter((word, i) => keptA[i] && word.trim() !== '').join('').length
  return kept * 3 < Math.max(before.length, after.length) ? null : [partsOf(a, keptA), partsOf(b, keptB)]
}

/** Which words of both belong to their longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): [boolean[], boolean[]] {
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] = a[i] === b[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
  const [inA, inB] = [a.map(() => false), b.map(() => false)]
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      inA[i++] = true
      inB[j++] = true
    } else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return [inA, inB]
}

function partsOf(all: readonly string[], kept: readonly boolean[]): WordPart[] {
  const parts: WordPart[] = []
  all.forEach((text, i) => {
    const changed = kept[i] !== true
    const last = parts.at(-1)
    if (last?.changed === changed) last.text += text
    else parts.push({ text, changed })
  })
  return parts
}

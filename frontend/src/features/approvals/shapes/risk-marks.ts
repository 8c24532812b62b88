import type { CommandLook, RiskReason } from '../../../desk/types'
import { foldAbove } from '../../../ui/json-view/layout-json'
import { NotJson, scanJson } from '../../../ui/json-view/scan-json'

/** A stretch of a text that raised the risk, and why. */
export interface Mark {
  from: number
  to: number
  why: string
}

type Words = (reason: RiskReason) => string

/** The stretches of the texts of an input, by the number of the text among all of them, in its raw letters. */
export function marksInJson(raw: string, reasons: readonly RiskReason[], words: Words): ReadonlyMap<number, readonly Mark[]> {
  const marks = new Map<number, Mark[]>()
  if (raw.length > foldAbove || !reasons.some((r) => r.at)) return marks
  const path: (string | number)[] = []
  let strings = -1
  try {
    scanJson(raw, (kind, start, end) => {
      const char = raw[start]
      const last = path.at(-1)
      if (kind === 'key') path[path.length - 1] = JSON.parse(raw.slice(start, end)) as string
      else if (kind === 'punctuation') {
        if (char === '{') path.push('')
        else if (char === '[') path.push(0)
        else if (char === '}' || char === ']') path.pop()
        else if (char === ',' && typeof last === 'number') path[path.length - 1] = last + 1
      } else if (kind === 'string') {
        strings++
        const pointer = pointerOf(path)
        const here = reasons.flatMap((r) => (r.at?.pointer === pointer ? [{ ...rawStretch(raw.slice(start, end), r.at), why: words(r) }] : []))
        if (here.length > 0) marks.set(strings, joined(here))
      }
    })
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return new Map()
  }
  return marks
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** A stretch of a text as it lies in the literal, with its quotes and escapes. */
function rawStretch(literal: string, { start, end }: { start: number; end: number }): { from: number; to: number } {
  const at = (units: number) => {
    let i = 1
    for (let seen = 0; seen < units && i < literal.length - 1; seen++) i += literal[i] !== '\\' ? 1 : literal[i + 1] === 'u' ? 6 : 2
    return i
  }
  return { from: at(start), to: at(end) }
}

/** In their order, those that overlap as one. */
function joined(marks: readonly Mark[]): Mark[] {
  const all: Mark[] = []
  for (const mark of marks.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (!last || mark.from >= last.to) all.push({ ...mark })
    else Object.assign(last, { to: Math.max(last.to, mark.to), why: last.why === mark.why ? last.why : `${last.why}; ${mark.why}` })
  }
  return all
}

/** The marks of a command for each piece of its lines; none where the text that is shown is not the input's own. */
export function marksInCommand(command: CommandLook, key: string | null, reasons: readonly RiskReason[], words: Words): (Mark | null)[][] {
  const here = key === null || command.argv ? [] : reasons.flatMap((r) => (r.at?.pointer === `/${key}` ? [{ from: r.at.start, to: r.at.end, why: words(r) }] : []))
  const marks = joined(here)
  let at = 0
  return command.lines.map((pieces) =>
    pieces.map((piece) => {
      const from = command.text.indexOf(piece.text, at)
      if (from < 0) return null
      at = from + piece.text.length
      return marks.find((m) => m.from < at && from < m.to) ?? null
    }),
  )
}

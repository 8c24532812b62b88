import type { Rule } from '../../desk/types'

/** A rule that is being moved, and its place among the rules in view, from 0, as if it stood there already. */
export interface Moving {
  id: string
  to: number
}

/** The rules in view as they would stand. */
export function arranged(shown: readonly Rule[], moving: Moving | null): readonly Rule[] {
  const rule = moving && shown.find((r) => r.id === moving.id)
  if (!moving || !rule) return shown
  const rest = shown.filter((r) => r.id !== moving.id)
  return [...rest.slice(0, moving.to), rule, ...rest.slice(moving.to)]
}

/** Where a move puts a rule among all rules. */
export interface Target {
  /** The rule that it would stand right before; null: at the end. */
  before: Rule | null
  /** Its place among all, from 1. */
  place: number
}

/**
 * Where a move ends. It stands right before the next rule in view; behind the
 * last in view it stands right behind that, whatever is hidden below.
 */
export function targetOf(all: readonly Rule[], shown: readonly Rule[], moving: Moving): Target {
  const order = arranged(shown, moving)
  const rest = all.filter((rule) => rule.id !== moving.id)
  const next = order[moving.to + 1]
  const previous = order[moving.to - 1]
  const at = next ? rest.indexOf(next) : previous ? rest.indexOf(previous) + 1 : rest.length
  return { before: rest[at] ?? null, place: at + 1 }
}

/** The place of each rule among all, from 1, as it would be. */
export function placesOf(all: readonly Rule[], shown: readonly Rule[], moving: Moving): ReadonlyMap<string, number> {
  const { place } = targetOf(all, shown, moving)
  return new Map(arranged(all, { id: moving.id, to: place - 1 }).map((rule, i) => [rule.id, i + 1]))
}

/** The rule that follows one, to put it back before. */
export function following(all: readonly Rule[], id: string): Rule | null {
  return all[all.findIndex((rule) => rule.id === id) + 1] ?? null
}

const aPage = 10

/** Where a key moves a rule, or null for another key. */
export function stepOf(key: string, to: number, length: number): number | null {
  const last = length - 1
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, to - 1)
    case 'ArrowDown':
      return Math.min(last, to + 1)
    case 'PageUp':
      return Math.max(0, to - aPage)
    case 'PageDown':
      return Math.min(last, to + aPage)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

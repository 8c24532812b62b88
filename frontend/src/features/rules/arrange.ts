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
 * Where a move ends. Back at its own place in view it stands where it stood;
 * else it stands right before the next rule in view; behind the
 * last in view it stands right behind that, whatever is hidden below. A rule in
 * view that was deleted (it is written still) is no neighbour.
 */
export function targetOf(all: readonly Rule[], shown: readonly Rule[], moving: Moving): Target {
  const stood = shown[moving.to]?.id === moving.id ? all.findIndex(({ id }) => id === moving.id) : -1
  const order = arranged(shown, moving)
  const rest = all.filter((rule) => rule.id !== moving.id)
  const places = new Map(rest.map(({ id }, i) => [id, i]))
  const next = order.slice(moving.to + 1).find(({ id }) => places.has(id))
  const previous = order.slice(0, moving.to).findLast(({ id }) => places.has(id))
  const besides = next ? places.get(next.id) : previous && (places.get(previous.id) ?? 0) + 1
  const at = stood >= 0 ? stood : (besides ?? rest.length)
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

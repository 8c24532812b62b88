import { commonLength } from '../../lists/common-length'

/** Rows of one heading, such as all of one agent. */
export interface Group<T> {
  /** Tells it from all other groups of the list. */
  key: string
  items: readonly T[]
}

/** A row of a grouped list as it is drawn: the heading of a group, or one of its items. */
export interface Entry<T, G extends Group<T> = Group<T>> {
  key: string
  group: G
  /** null for the heading of the group. */
  item: T | null
  /** Which of all items it is, from 1; 0 for a heading. */
  place: number
}

/** All rows of groups, of which some are folded. */
export interface Entries<T, G extends Group<T>> {
  groups: readonly G[]
  folded: ReadonlySet<string>
  entries: readonly Entry<T, G>[]
  /** How many items there are, in folded groups too. */
  total: number
}

/**
 * All rows of a list in their order. Of a group that is folded only the heading is one. Those of before stay, as far as
 * the groups are the same from the first on; of the next group those of its first items, as far as these are the same.
 */
export function entriesOf<T, G extends Group<T>>(before: Entries<T, G> | null, groups: readonly G[], keyOf: (item: T) => string, folded: ReadonlySet<string>): Entries<T, G> {
  const known = before?.folded === folded ? before : null
  const same = known ? commonLength(known.groups, groups) : 0
  const gone = known?.groups.slice(same) ?? []
  const rows = (group: G) => 1 + (folded.has(headingKey(group.key)) ? 0 : group.items.length)
  const entries = known?.entries.slice(0, gone.reduce((end, group) => end - rows(group), known.entries.length)) ?? []
  let total = gone.reduce((sum, { items }) => sum - items.length, known?.total ?? 0)
  let grown = gone[0]
  for (const group of groups.slice(same)) {
    const key = headingKey(group.key)
    const from = entries.push({ key, group, item: null, place: 0 })
    const kept = grown?.key === group.key ? commonLength(grown.items, group.items) : 0
    grown = undefined
    if (!folded.has(key)) {
      for (const entry of known?.entries.slice(from, from + kept) ?? []) entries.push(entry)
      for (const item of group.items.slice(kept)) entries.push({ key: keyOf(item), group, item, place: total + entries.length - from + 1 })
    }
    total += group.items.length
  }
  return { groups, folded, entries, total }
}

/** The key of a group's heading: like that of no item. */
export function headingKey(group: string): string {
  return `group ${group}`
}

/** Items, and the same in stretches of those that follow each other with the same key. */
export interface Stretches<T> {
  items: readonly T[]
  groups: readonly Group<T>[]
}

/**
 * Items in stretches of those that follow each other with the same key. A stretch is told from others by the item that was
 * its last one at first: so it stays the same when more come in at either end. Stretches of before stay, as far as the
 * items are the same from the first on; to the last of them others may be added.
 */
export function stretchesOf<T>(before: Stretches<T> | null, items: readonly T[], keyOf: (item: T) => string, idOf: (item: T) => string): Stretches<T> {
  const same = before ? commonLength(before.items, items) : 0
  const groups: Group<T>[] = []
  let from = 0
  for (const group of before?.groups ?? []) {
    if (from + group.items.length > same) break
    groups.push(group)
    from += group.items.length
  }
  const last = groups.at(-1)?.items.at(-1)
  const next = items[from]
  const goesOn = last !== undefined && next !== undefined && keyOf(last) === keyOf(next)
  const longer = goesOn ? groups.pop() : undefined
  const made: { key: string; items: T[] }[] = longer ? [{ key: longer.key, items: [...longer.items] }] : []
  let at = goesOn ? keyOf(last) : undefined
  for (; from < items.length; from++) {
    const item = items[from] as T
    const key = keyOf(item)
    if (key === at) made.at(-1)?.items.push(item)
    else made.push({ key: '', items: [item] })
    at = key
  }
  const known = new Set(before && same < before.items.length ? before.groups.map(({ key }) => key) : [])
  for (const stretch of made) stretch.key ||= nameOf(stretch.items.map(idOf), known)
  return { items, groups: [...groups, ...made] }
}

function nameOf(ids: readonly string[], known: ReadonlySet<string>): string {
  return ids.find((id) => known.has(id)) ?? ids.at(-1) ?? ''
}

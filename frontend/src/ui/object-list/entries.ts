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

/** All rows of a list in their order. Of a group that is folded only the heading is one. */
export function entriesOf<T, G extends Group<T>>(
  groups: readonly G[],
  keyOf: (item: T) => string,
  folded: ReadonlySet<string>,
): { entries: Entry<T, G>[]; total: number } {
  const entries: Entry<T, G>[] = []
  let total = 0
  for (const group of groups) {
    const key = headingKey(group.key)
    entries.push({ key, group, item: null, place: 0 })
    for (const item of group.items) {
      total++
      if (!folded.has(key)) entries.push({ key: keyOf(item), group, item, place: total })
    }
  }
  return { entries, total }
}

/** The key of a group's heading: like that of no item. */
export function headingKey(group: string): string {
  return `group ${group}`
}

/** Items in stretches of those that follow each other with the same key; a stretch is told from others by its last item. */
export function stretchesOf<T>(items: readonly T[], keyOf: (item: T) => string, idOf: (item: T) => string): Group<T>[] {
  const groups: { key: string; items: T[] }[] = []
  let before: string | undefined
  for (const item of items) {
    const key = keyOf(item)
    const last = groups.at(-1)
    if (last && key === before) last.items.push(item)
    else groups.push({ key: '', items: [item] })
    before = key
  }
  for (const group of groups) {
    const last = group.items.at(-1)
    if (last !== undefined) group.key = idOf(last)
  }
  return groups
}

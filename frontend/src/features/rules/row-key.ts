import type { Rule } from '../../desk/types'

/** The row below all rules: what nothing matched. */
export const lastRow = 'last'

/** What stands in a row of the list. */
export type RowItem = Rule | typeof lastRow

/** The key of a rule's row; no rule's id can be taken for the last row. */
export function keyOf(id: string): string {
  return `=${id}`
}

export function itemKey(item: RowItem): string {
  return item === lastRow ? lastRow : keyOf(item.id)
}

import type { ToolPermission, ToolTable } from '../../desk/types'

/** Stands in a table for all tools that it does not name. */
export const otherTools = '*'

/** The permissions in the order in which they are offered: from those of everybody to those of the fewest. */
export const permissions = [
  'unauthenticated',
  'authenticated',
  'chat_only',
  'task_only',
  'worker_only',
  'manager_only',
  'coordinator_only',
] as const satisfies readonly ToolPermission[]

/** The table that a person begins with: as before for every agent with a session, nothing for any other. */
export const firstTable: NonNullable<ToolTable> = { [otherTools]: 'authenticated' }

/** Tells one table from another, whatever the order of its tools. */
export function tableText(table: ToolTable | undefined): string {
  return JSON.stringify(table ? rowsOf(table) : null)
}

/** The tools that a table names, by their names, and the permission of all others last. */
export function rowsOf(table: NonNullable<ToolTable>): [tool: string, permission: ToolPermission][] {
  const rest = (tool: string) => (tool === otherTools ? 1 : 0)
  return Object.entries(table).sort(([a], [b]) => rest(a) - rest(b) || (a < b ? -1 : 1))
}

/** A table with another permission of a tool, or, for null, without the tool. */
export function withPermission(table: NonNullable<ToolTable>, tool: string, permission: ToolPermission | null): NonNullable<ToolTable> {
  const others = Object.entries(table).filter(([name]) => name !== tool)
  return Object.fromEntries(permission === null ? others : [...others, [tool, permission]])
}

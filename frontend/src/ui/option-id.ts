/** The id of an option in a list. */
export function optionId(list: string, at: number): string {
  return `${list}-${String(at)}`
}

/** How many values two lists have in common from their beginning. */
export function commonLength(a: readonly unknown[], b: readonly unknown[]): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a[length] === b[length]) length++
  return length
}

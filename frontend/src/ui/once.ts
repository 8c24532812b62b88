/** Makes a thing when it is first asked for: patterns of many characters take longer than all else of a module, and most text needs none. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Makes a thing when it is first asked for: what takes longer to make than all else of its module, and is seldom needed. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Makes a thing once for each key: the formats of Intl are slow to make, and rows of lists want many. */
export function cached<V>(make: (...key: string[]) => V): (...key: string[]) => V {
  const made = new Map<string, V>()
  return (...key) => {
    const name = key.join(' ')
    const found = made.get(name) ?? make(...key)
    made.set(name, found)
    return found
  }
}

/** Cuts valid JSON text into the texts of its parts, so that what is passed on stays as it was written. */

/** The text of an object's member; null where it has none. */
export function member(object: string, name: string): string {
  for (const part of partsOf(object)) {
    const key = /^\s*("(?:[^"\\]|\\.)*")\s*:/.exec(part)
    if (key?.[1] && JSON.parse(key[1]) === name) return part.slice(key[0].length).trim()
  }
  return 'null'
}

/** The texts of a list's elements; null is none. */
export function elements(list: string): string[] {
  return list === 'null' ? [] : partsOf(list).map((part) => part.trim())
}

/** What stands between the commas of the outermost brackets. */
function partsOf(json: string): string[] {
  const inside = json.trim().slice(1, -1)
  if (inside.trim() === '') return []
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (const { 0: token, index } of inside.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (token === ',' && depth === 0) {
      parts.push(inside.slice(from, index))
      from = index + 1
    }
  }
  return [...parts, inside.slice(from)]
}

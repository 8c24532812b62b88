const highEscape = /^\\u[dD][89abAB][0-9a-fA-F]{2}$/
const lowEscape = /^\\u[dD][c-fC-F][0-9a-fA-F]{2}/

/**
 * The nearest place at or before `at` where JSON text may be cut: not within an
 * escape and not between the halves of a pair, which would change what is read.
 */
export function safeCut(raw: string, at: number): number {
  if (at <= 0 || at >= raw.length) return at
  let cut = startOfEscape(raw, at) ?? at
  if (lowEscape.test(raw.slice(cut, cut + 6)) && highEscape.test(raw.slice(cut - 6, cut)) && startsEscape(raw, cut - 6)) cut -= 6
  const parted = /[\uDC00-\uDFFF]/.test(raw[cut] ?? '') && /[\uD800-\uDBFF]/.test(raw[cut - 1] ?? '')
  return parted ? cut - 1 : cut
}

/** Where the escape begins that `at` is inside of; null when it is inside of none. */
function startOfEscape(raw: string, at: number): number | null {
  for (let q = at - 1; q >= Math.max(0, at - 5); q--) {
    if (raw[q] !== '\\' || !startsEscape(raw, q)) continue
    return q + (raw[q + 1] === 'u' ? 6 : 2) > at ? q : null
  }
  return null
}

/** A backslash starts an escape unless one before it is escaping it. */
function startsEscape(raw: string, q: number): boolean {
  let before = q
  while (before > 0 && raw[before - 1] === '\\') before--
  return (q - before) % 2 === 0
}

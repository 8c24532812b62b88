/** No label of a host is longer. Whoever writes the input chooses what stands here: what is no label is not worked at. */
const mostLetters = 63

/** The largest number that the decoder counts with; what goes beyond it is not well formed (RFC 3492, 6.4). */
const most = 0x7fffffff

/** Reads a label of a host that was written in punycode (RFC 3492); null where it is not well formed. */
export function readPunycode(label: string): string | null {
  if (label === '' || label.length > mostLetters) return null
  const dash = label.lastIndexOf('-')
  const letters = [...label.slice(0, Math.max(0, dash))].map((c) => c.charCodeAt(0))
  if (letters.some((letter) => letter >= 0x80)) return null
  let [n, i, bias] = [128, 0, 72]
  for (let at = dash + 1; at < label.length; ) {
    const from = i
    for (let [weight, k] = [1, 36]; ; k += 36) {
      const digit = digitOf(label.charCodeAt(at++))
      if (digit === null || digit * weight > most - i) return null
      i += digit * weight
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (digit < threshold) break
      weight *= 36 - threshold
      if (weight > most) return null
    }
    bias = adapt(i - from, letters.length + 1, from === 0)
    n += Math.floor(i / (letters.length + 1))
    i %= letters.length + 1
    if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) return null
    letters.splice(i++, 0, n)
  }
  return String.fromCodePoint(...letters)
}

function digitOf(code: number): number | null {
  if (code >= 0x30 && code <= 0x39) return code - 22
  const letter = (code | 0x20) - 0x61
  return letter >= 0 && letter < 26 ? letter : null
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? 700 : 2))
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > 455; k += 36) rest = Math.floor(rest / 35)
  return k + Math.floor((36 * rest) / (rest + 38))
}

/**
 * The heights of many rows of which few were ever measured, as a Fenwick tree:
 * to set one, and to find a row by its place or a place by its row, costs the
 * logarithm of their number.
 */
export class Heights {
  readonly length: number
  readonly #own: Float64Array
  readonly #tree: Float64Array

  constructor(length: number, heightOf: (index: number) => number) {
    this.length = length
    this.#own = new Float64Array(length)
    for (let i = 0; i < length; i++) this.#own[i] = heightOf(i)
    this.#tree = new Float64Array(length + 1)
    for (let i = 1; i <= length; i++) {
      this.#tree[i] = (this.#tree[i] ?? 0) + (this.#own[i - 1] ?? 0)
      const above = i + (i & -i)
      if (above <= length) this.#tree[above] = (this.#tree[above] ?? 0) + (this.#tree[i] ?? 0)
    }
  }

  of(index: number): number {
    return this.#own[index] ?? 0
  }

  set(index: number, height: number): void {
    const more = height - this.of(index)
    if (more === 0 || index >= this.length) return
    this.#own[index] = height
    for (let i = index + 1; i <= this.length; i += i & -i) this.#tree[i] = (this.#tree[i] ?? 0) + more
  }

  /** How far down a row begins; of the row after the last: where it ends. */
  offset(index: number): number {
    let sum = 0
    for (let i = Math.min(index, this.length); i > 0; i -= i & -i) sum += this.#tree[i] ?? 0
    return sum
  }

  /** The row that is so far down; the first or the last where that is beyond them. */
  indexAt(y: number): number {
    let index = 0
    let left = y
    for (let step = 2 ** Math.floor(Math.log2(Math.max(this.length, 1))); step >= 1; step /= 2) {
      const sum = this.#tree[index + step]
      if (index + step > this.length || sum === undefined || sum > left) continue
      index += step
      left -= sum
    }
    return Math.max(0, Math.min(index, this.length - 1))
  }
}

/** Rows for which there is room at first. */
const roomAtFirst = 64

/**
 * The heights of many rows of which few were ever measured, as two Fenwick trees: the sums of what was measured, and how
 * many rows were not, each of which counts as high as the estimate. To set or add one, and to find a row by its place or a
 * place by its row, costs the logarithm of their number; another estimate costs nothing.
 */
export class Heights {
  estimate: number
  #length = 0
  /** NaN for a row that was not measured. */
  #own = new Float64Array(roomAtFirst)
  /** Node i of a tree, from 1, has the sum of as many rows up to row i as its lowest bit says: it knows of none behind them. */
  #sums = new Float64Array(roomAtFirst + 1)
  #unknown = new Float64Array(roomAtFirst + 1)

  constructor(estimate: number) {
    this.estimate = estimate
  }

  get length(): number {
    return this.#length
  }

  of(index: number): number {
    const own = this.#own[index] ?? 0
    return index >= this.#length ? 0 : Number.isNaN(own) ? this.estimate : own
  }

  /** Adds a row at the end; without a height where it was not measured. */
  push(height = NaN): void {
    const index = this.#length
    if (index === this.#own.length) this.#grow()
    this.#own[index] = height
    const node = ++this.#length
    let sum = Number.isNaN(height) ? 0 : height
    let unknown = Number.isNaN(height) ? 1 : 0
    for (let part = node - 1, end = node - (node & -node); part > end; part -= part & -part) {
      sum += this.#sums[part] ?? 0
      unknown += this.#unknown[part] ?? 0
    }
    this.#sums[node] = sum
    this.#unknown[node] = unknown
  }

  /** Forgets all rows behind the first ones. */
  cut(length: number): void {
    this.#length = Math.min(length, this.#length)
  }

  set(index: number, height: number): void {
    if (index >= this.#length) return
    const own = this.#own[index] ?? NaN
    const known = Number.isNaN(own) ? 0 : own
    const fewer = Number.isNaN(own) ? 1 : 0
    if (fewer === 0 && height === known) return
    this.#own[index] = height
    for (let node = index + 1; node <= this.#length; node += node & -node) {
      this.#sums[node] = (this.#sums[node] ?? 0) + height - known
      this.#unknown[node] = (this.#unknown[node] ?? 0) - fewer
    }
  }

  /** How far down a row begins; of the row after the last: where it ends. */
  offset(index: number): number {
    let sum = 0
    for (let node = Math.min(index, this.#length); node > 0; node -= node & -node) sum += this.#node(node)
    return sum
  }

  /** The row that is so far down; the first or the last where that is beyond them. */
  indexAt(y: number): number {
    let index = 0
    let left = y
    for (let step = 2 ** Math.floor(Math.log2(Math.max(this.#length, 1))); step >= 1; step /= 2) {
      if (index + step > this.#length) continue
      const sum = this.#node(index + step)
      if (sum > left) continue
      index += step
      left -= sum
    }
    return Math.max(0, Math.min(index, this.#length - 1))
  }

  #node(node: number): number {
    return (this.#sums[node] ?? 0) + (this.#unknown[node] ?? 0) * this.estimate
  }

  #grow(): void {
    const room = this.#own.length * 2
    this.#own = longer(this.#own, room)
    this.#sums = longer(this.#sums, room + 1)
    this.#unknown = longer(this.#unknown, room + 1)
  }
}

function longer(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(length)
  more.set(numbers)
  return more
}

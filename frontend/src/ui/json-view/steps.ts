/** Work in steps: at once where it is short, in slices between the person's doings where it is long. */

/** How long a slice may keep the page from answering. */
const sliceMs = 10

/** What the person waits for is drawn first. */
const beginMs = 60

/** All steps at once. */
export function drain<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** All steps, in slices, and then what came of them. The returned function stops it. */
export function inSlices<T>(steps: Generator<undefined, T>, then: (result: T) => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const slice = () => {
    const end = performance.now() + sliceMs
    do {
      const { done, value } = steps.next()
      if (done) {
        then(value)
        return
      }
    } while (performance.now() < end)
    timer = setTimeout(slice)
  }
  timer = setTimeout(slice, beginMs)
  return () => {
    clearTimeout(timer)
  }
}

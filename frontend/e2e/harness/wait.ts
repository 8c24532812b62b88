/** Asks again and again until the answer is truthy; the error says what was waited for. */
export async function until<T>(what: string, ask: () => Promise<T> | T, ms = 60_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms
  let last: unknown = 'no'
  while (Date.now() < end) {
    try {
      const got = await ask()
      if (got) return got
      last = got
    } catch (error) {
      last = error
    }
    await pause(40)
  }
  throw new Error(`waited ${String(ms)} ms for ${what}; last answer: ${String(last)}`)
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}

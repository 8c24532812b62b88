/** Differences below this are how long an answer took, not how wrong a clock is. */
const noiseMs = 500

/**
 * By how many milliseconds the desk's clock is ahead of this machine's, from what
 * it said in an answer that was asked for and came back at these times. What was
 * known before stays as long as it is as good.
 */
export function aheadOf(said: string, asked: number, answered: number, before: number): number {
  const ahead = Date.parse(said) - (asked + answered) / 2
  return Number.isNaN(ahead) || Math.abs(ahead - before) < noiseMs ? before : Math.round(ahead)
}

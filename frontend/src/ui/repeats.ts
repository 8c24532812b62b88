/** A run of equal lines: its first stands for the others until they are unfolded. */
export interface Run {
  /** The place of the first line. */
  from: number
  /** How many lines the run has. */
  count: number
  /** They hold nothing but blanks. */
  blank: boolean
}

/** So many lines that follow each other are folded; of fewer, saying so would take as long. */
const fewest = 4

/**
 * Parts lines into runs of equal ones. keys name lines: equal keys are equal lines to the last character,
 * and '' is a blank one. A run that is too short to fold is single lines.
 */
export function runsOf(keys: readonly string[]): Run[] {
  const runs: Run[] = []
  for (let from = 0; from < keys.length; ) {
    let to = from + 1
    while (to < keys.length && keys[to] === keys[from]) to++
    const count = to - from
    const blank = keys[from] === ''
    if (count >= fewest) runs.push({ from, count, blank })
    else for (let i = from; i < to; i++) runs.push({ from: i, count: 1, blank })
    from = to
  }
  return runs
}

/** Whether a line holds nothing but ordinary blanks; characters that hide are no blanks. */
export function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text)
}

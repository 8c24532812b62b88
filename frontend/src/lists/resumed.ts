/**
 * A function that goes on from what it gave the last time, for what grows: before is null at first. What it gives must be
 * the same as from nothing. Each list needs one of its own.
 */
export function resumed<A extends unknown[], R>(make: (before: R | null, ...now: A) => R): (...now: A) => R {
  let last: R | null = null
  return (...now) => (last = make(last, ...now))
}

/** The guard against lost updates; no ifMatch, no guard. */
export function seen(ifMatch: string): { ifMatch?: string } {
  return ifMatch === '' ? {} : { ifMatch: `"${ifMatch}"` }
}

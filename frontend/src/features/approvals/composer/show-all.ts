/** The composer is higher once there is something to choose. */
export function showAll(candidates: HTMLElement | null): void {
  candidates?.closest('section')?.scrollIntoView({ block: 'start' })
}

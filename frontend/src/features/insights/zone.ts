/** The time zone of this machine, as the desk knows zones. */
export function ownZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined
  return zone?.includes('/') && !zone.includes('Unknown') ? zone : 'UTC'
}

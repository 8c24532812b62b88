import type { Call } from './types'

/** What a call is about, as it is told in a list: a path, programs, hosts; null where nobody knows. */
export function objectOf({ covers }: Pick<Call, 'covers'>): string | null {
  const { path = '', hosts = [], parts = [] } = covers?.class?.params ?? {}
  if (path !== '') return path
  if (parts !== null && parts.length > 0) return parts.map(({ name }) => name).join(', ')
  return hosts !== null && hosts.length > 0 ? hosts.join(', ') : null
}

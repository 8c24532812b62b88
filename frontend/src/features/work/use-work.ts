import { useMemo } from 'react'
import { useLoaded } from '../../desk/queries'
import { useHash } from '../../ui/use-hash'

/** The participant of a conversation who sits at the desk. */
export const person = 'person'

/** Which project and task the address asks for: #/work?project=ID&task=ID. */
export function useAddress(): { project: string; task: string } {
  const hash = useHash()
  return useMemo(() => {
    const query = new URLSearchParams(hash.includes('?') ? hash.slice(hash.indexOf('?') + 1) : '')
    return { project: query.get('project') ?? '', task: query.get('task') ?? '' }
  }, [hash])
}

/** Leads to a project. */
export function showProject(id: string): void {
  window.location.hash = `#/work?${new URLSearchParams({ project: id }).toString()}`
}

/** The names of agents by their ids; that of one that is no more is its id. */
export function useNames(): (id: string) => string {
  const agents = useLoaded('agents').data
  return useMemo(() => {
    const names = new Map(agents?.map(({ id, name }) => [id, name]))
    return (id) => names.get(id) ?? id
  }, [agents])
}

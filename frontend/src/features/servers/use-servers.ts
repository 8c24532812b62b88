import { useCallback } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Server } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['servers.']

const load = (desk: Desk) => desk.servers()

/** The servers, and an edit of one among all as they are now, not as they were shown. */
export function useServers() {
  const desk = useDesk()
  const { data, error, reload } = useDeskData(load, kinds)
  const edit = useCallback(
    async (change: (servers: Server[]) => Server[]) => {
      await desk.saveServers(change(await desk.servers()))
      await reload()
    },
    [desk, reload],
  )
  return { servers: data, error, edit, reload }
}

/** Puts a server at its place, or at the end. isNew refuses a name that is taken. */
export function putServer(server: Server, isNew: boolean): (servers: Server[]) => Server[] {
  return (servers) => {
    const known = servers.some((s) => s.id === server.id)
    if (isNew && known) throw new DeskError({ code: 'already_exists', field: 'id', message: 'a server of this id exists' })
    return known ? servers.map((s) => (s.id === server.id ? server : s)) : [...servers, server]
  }
}

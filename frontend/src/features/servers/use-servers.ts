import { useCallback } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError, faultAt } from '../../desk/desk-error'
import { renew } from '../../desk/follow'
import type { Server } from '../../desk/types'

/** How often an edit is made anew because something else of the list changed meanwhile. */
const maxTries = 3

/** An edit of one server among all as they are now, not as they were shown; fails with a DeskError. */
export type Edit = (change: (servers: Server[]) => Server[]) => Promise<void>

/** Edits the servers. What changed meanwhile is shown when the edit ends, done or not. */
export function useEdit(): Edit {
  const desk = useDesk()
  return useCallback(
    async (change) => {
      try {
        for (let tries = 1; ; tries++) {
          const { servers, version } = await desk.versionedServers()
          try {
            await desk.saveServers(change(servers), version)
            return
          } catch (thrown) {
            const failed = DeskError.from(thrown)
            if (tries === maxTries || failed.code !== 'lost_update' || failed.field === 'server') throw thrown
          }
        }
      } finally {
        await renew(desk, ['servers'])
      }
    },
    [desk],
  )
}

/** Puts a server in the place of the one that was seen, or at the end where seen is null: there is none of its name then. */
export function putServer(server: Server, seen: Server | null): (servers: Server[]) => Server[] {
  return (servers) => {
    if (seen) return asSeen(servers, seen).map((s) => (s.id === seen.id ? server : s))
    if (servers.some((s) => s.id === server.id))
      throw new DeskError({ code: 'already_exists', fault: faultAt('id'), message: 'a server of this id exists' })
    return [...servers, server]
  }
}

/** Takes a server away that is still as it was seen. */
export function removeServer(seen: Server): (servers: Server[]) => Server[] {
  return (servers) => asSeen(servers, seen).filter((s) => s.id !== seen.id)
}

function asSeen(servers: Server[], seen: Server): Server[] {
  const now = servers.find((s) => s.id === seen.id)
  if (!now || entryOf(now) !== entryOf(seen))
    throw new DeskError({ code: 'lost_update', fault: faultAt('server'), message: 'the server was changed meanwhile' })
  return servers
}

function entryOf({ transport, command, args, env, cwd, url, headers, enabled, execution, users, revision = '' }: Server): string {
  return JSON.stringify([transport, command, args, Object.entries(env).sort(), cwd, url, Object.entries(headers).sort(), enabled, execution, users, revision])
}

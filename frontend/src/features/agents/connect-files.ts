import type { Desk } from '../../desk/desk'
import { DeskError } from '../../desk/desk-error'
import type { ClientChoice, ClientConnected, ClientFile, ClientProof, ClientTrial } from '../../desk/types'
import type { Connected } from './app-outcome'

export type Stage = 'trying' | 'writing' | 'proving'

/** Reports whether servers of a file are started to be looked at. */
export const startsServers = (entries: ClientFile['entries']) => entries.some(({ hook, off, state }) => state === 'direct' && !hook && !off)

/** Starts the servers of files as their app does; gives those that did not start. */
export async function tryFiles(desk: Desk, files: readonly ClientFile[], choice: ClientChoice): Promise<ClientTrial[]> {
  const failed: ClientTrial[] = []
  for (const { id, entries, move } of files) {
    if (startsServers(entries)) failed.push(...(await desk.tryClient(id, move?.shown ?? '', choice)).filter(({ error }) => error !== ''))
  }
  return failed
}

/**
 * Writes files as they were shown, one after the other, and has their servers started through the desk. It fails where nothing
 * was written; where some were, it tells of those, and why the rest was not.
 */
export async function connectFiles(desk: Desk, files: readonly ClientFile[], choice: ClientChoice, onStage: (stage: Stage) => void): Promise<Connected> {
  const done: ClientConnected[] = []
  let rest: DeskError | null = null
  onStage('writing')
  for (const { id, move } of files) {
    try {
      done.push(await desk.connectClient(id, move?.shown ?? '', choice))
    } catch (thrown) {
      if (done.length === 0) throw thrown
      rest = DeskError.from(thrown)
      break
    }
  }
  onStage('proving')
  const connected = {
    moved: done.reduce((sum, { moved }) => sum + moved, 0),
    hooks: done.some(({ hooks }) => hooks),
    left: done.flatMap(({ left }) => left),
  }
  return { connected, proofs: await proved(desk, files.slice(0, done.length)), rest }
}

/** What the servers of files are behind the desk; null where it was not to be had of all. */
async function proved(desk: Desk, files: readonly ClientFile[]): Promise<ClientProof[] | null> {
  const proofs: ClientProof[] = []
  for (const { id, entries } of files) {
    if (!startsServers(entries)) continue
    const found = await desk.proveClient(id).catch(() => null)
    if (found === null) return null
    proofs.push(...found)
  }
  return proofs
}

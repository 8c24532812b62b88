import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { ClientChoice, ClientFile } from '../../desk/types'
import { useAction } from '../../desk/use-action'

/**
 * Files of an app as they were when their panel was opened: what is shown does not change under a
 * person's eyes, and write is for that. When one is another by then, nothing is written,
 * and they are shown anew.
 */
export function useWriting(opened: readonly ClientFile[], choice: ClientChoice, write: (desk: Desk, files: readonly ClientFile[]) => Promise<void>) {
  const desk = useDesk()
  const [files, setFiles] = useState(opened)
  const { busy, error, run } = useAction(async () => {
    try {
      await write(desk, files)
    } catch (thrown) {
      if (DeskError.from(thrown).code === 'stale') {
        const now = await again(desk, choice)
        setFiles(files.map((file) => now.find(({ id }) => id === file.id) ?? { ...file, move: null, back: null }))
      }
      throw thrown
    }
  })
  const chosen = useAction(async (other: ClientChoice) => {
    const now = (await desk.clients(other)).files
    setFiles(files.map((file) => now.find(({ id }) => id === file.id) ?? file))
  })
  return { files, error: error ?? chosen.error, busy: busy || chosen.busy, act: run, choose: chosen.run }
}

async function again(desk: Desk, choice: ClientChoice): Promise<ClientFile[]> {
  try {
    return (await desk.clients(choice)).files
  } catch {
    return [] // the list says what is wrong
  }
}

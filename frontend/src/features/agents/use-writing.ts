import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { ClientChoice, ClientFile } from '../../desk/types'
import { useAction } from '../../desk/use-action'

/**
 * A file as it was when its panel was opened: what is shown does not change under a
 * person's eyes, and write is for that. When it is another by then, nothing is written,
 * and it is shown anew.
 */
export function useWriting(opened: ClientFile, choice: ClientChoice, write: (desk: Desk, file: ClientFile) => Promise<void>) {
  const desk = useDesk()
  const [file, setFile] = useState(opened)
  const { busy, error, run } = useAction(async () => {
    try {
      await write(desk, file)
    } catch (thrown) {
      if (DeskError.from(thrown).code === 'stale') setFile((await again(desk, file.id, choice)) ?? { ...file, move: null, back: null })
      throw thrown
    }
  })
  const chosen = useAction(async (other: ClientChoice) => {
    const now = (await desk.clients(other)).files.find(({ id }) => id === file.id)
    if (now) setFile(now)
  })
  return { file, error: error ?? chosen.error, busy: busy || chosen.busy, act: run, choose: chosen.run }
}

async function again(desk: Desk, id: string, choice: ClientChoice): Promise<ClientFile | undefined> {
  try {
    return (await desk.clients(choice)).files.find((file) => file.id === id)
  } catch {
    return undefined // the list says what is wrong
  }
}

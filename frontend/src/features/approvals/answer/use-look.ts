import { useEffect, useState } from 'react'
import { useDesk } from '../../../desk/desk-context'
import type { Look } from '../../../desk/types'

/** How often the desk is asked whether the file on its disk is still what was shown. */
export const lookAgainMs = 2000

export interface Looked {
  /** The desk has answered, if only that it cannot say. */
  known: boolean
  look: Look | null
  /** The file on the disk changed while the call was looked at. */
  fileChanged: boolean
  /** Another one means that something else is shown. */
  version: string
}

const nothing: Looked = { known: false, look: null, fileChanged: false, version: '' }

/** What the desk says of a call beside its bytes; of a file, again and again while it is in view. Render it under a key of the call. */
export function useLook(callId: string): Looked {
  const desk = useDesk()
  const [looked, setLooked] = useState(nothing)
  useEffect(() => {
    let current = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      timer = setTimeout(() => {
        if (document.visibilityState === 'visible') void ask()
        else later()
      }, lookAgainMs)
    }
    const ask = async () => {
      const look = await desk.look(callId).catch(() => null)
      if (!current) return
      setLooked((before) => next(before, look))
      if (look === null || look.file !== null) later()
    }
    void ask()
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [desk, callId])
  return looked
}

/** Keeps what was shown as it is, as long as nothing of it is another, or the desk cannot say: the disk may be slow. */
function next(before: Looked, look: Look | null): Looked {
  const shown = before.look?.file?.version ?? ''
  if (look === null || (shown !== '' && look.file?.version === '')) return { ...before, known: true }
  const version = versionOf(look)
  if (before.look && before.version === version) return before
  return { known: true, look, version, fileChanged: before.fileChanged || (shown !== '' && shown !== look.file?.version) }
}

function versionOf({ file, command, last, flags }: Look): string {
  return JSON.stringify([file?.version, file?.state, command?.programs, last?.callId, flags])
}

import { useState } from 'react'
import type { DeskError } from '../../desk/desk-error'
import type { Server } from '../../desk/types'

/**
 * What a person who edits a server knows to be on the desk: as it was when the form
 * was opened, and with each conflict as it is then, null being none. It stays so until
 * the next conflict, whatever the desk has meanwhile: only what was shown may be replaced.
 */
export function useSeen(now: Server | null, error: DeskError | null) {
  const [opened] = useState(now)
  const [seen, setSeen] = useState(now)
  const [said, setSaid] = useState(error)
  const conflict = opened !== null && isConflict(error)
  if (said !== error) {
    setSaid(error)
    if (conflict) setSeen(now)
  }
  return { opened, seen, conflict }
}

/** Whether the server is not what the person knows: another, none, or there again after it was removed. */
function isConflict(error: DeskError | null): boolean {
  return (error?.code === 'lost_update' && error.field === 'server') || (error?.code === 'already_exists' && error.field === 'id')
}

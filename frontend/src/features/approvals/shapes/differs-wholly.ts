import type { LastLook } from '../../../desk/types'

/** Whether no member is as in the last call like this one that a person approved. members: how many the input has now. */
export function differsWholly(last: LastLook, members: number): boolean {
  return !last.same && members > 0 && last.changed.length + last.added.length >= members
}

import type { Look } from '../../../desk/types'
import type { Member } from './members'
import { isAddress } from './url-parts'

/**
 * Whether known shapes show all that an input says, so that its JSON may be folded
 * away. In doubt they do not.
 */
export function covers(look: Look | null, members: readonly Member[]): boolean {
  const texts = members.map((m) => m.text)
  if (texts.length === 0 || texts.includes(null)) return false
  const { file, command } = look ?? {}
  if (file) {
    const told = (file.state === 'new' || file.state === 'changed') && file.more === 0
    return told && texts.length === 2 && texts.filter((text) => text === file.path).length === 1
  }
  if (texts.length !== 1) return false
  if (command) return command.parsed && !command.argv && texts[0] === command.text
  return isAddress(members[0]?.key ?? '', texts[0] ?? '')
}

import type { Member } from './members'
import { isAddress, urlParts, type UrlParts } from './url-parts'

/** A member of an input that is an address. */
export interface Address {
  key: string
  text: string
  parts: UrlParts
}

export function addressesOf(members: readonly Member[]): Address[] {
  return members.flatMap(({ key, text }) => {
    const parts = text !== null && isAddress(key, text) ? urlParts(text) : null
    return text !== null && parts ? [{ key, text, parts }] : []
  })
}

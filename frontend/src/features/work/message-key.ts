/** A key of a message: sent again with it, because the answer did not come, it is the same message. */
export function messageKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

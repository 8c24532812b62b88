import { useRef } from 'react'

/**
 * The key of the message that is being written: sent again with it, because the answer did not come, it is the same message.
 * What is changed before that is another message, and so is the same one once it is sent.
 */
export function useMessageKey(): { keyOf: (...about: string[]) => string; sent: () => void } {
  const last = useRef<{ about: string; key: string } | null>(null)
  return {
    keyOf: (...parts) => {
      const about = JSON.stringify(parts)
      if (last.current?.about !== about) last.current = { about, key: newKey() }
      return last.current.key
    },
    sent: () => {
      last.current = null
    },
  }
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

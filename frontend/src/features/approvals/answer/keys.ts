import type { KeyboardEvent } from 'react'

/** Whether a key is the Escape that closes what is open inside of a dialog. It is then not "later" to the dialog. */
export function isEscape(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || event.nativeEvent.isComposing) return false
  event.preventDefault()
  event.stopPropagation()
  return true
}

/** Keeps a held Enter, or one that ends a word of an input method, from pressing a button again and again. */
export function dropRepeats(event: KeyboardEvent): void {
  const writing = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement
  if (event.key === 'Enter' && !writing && (event.repeat || event.nativeEvent.isComposing)) event.preventDefault()
}

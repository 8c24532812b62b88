/** Whether keys that arrive there are meant as text, or as a choice. */
export function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

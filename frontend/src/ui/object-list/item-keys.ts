import { isWriting } from '../is-writing'
import { itemMove } from './row-move'

/**
 * As a ref of a list: J and K lead into it from wherever no other part of the page has the focus. Nothing happens
 * while a dialog is open, which has keys of its own.
 */
export function itemKeys(list: HTMLElement | null): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || itemMove(event) === null || isWriting(event.target)) return
    const at = document.activeElement
    if (document.querySelector('dialog[open]') || (at !== document.body && at?.tagName !== 'MAIN')) return
    event.preventDefault()
    list?.querySelector<HTMLElement>('[data-focus-home]')?.focus()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => {
    document.removeEventListener('keydown', onKeyDown)
  }
}

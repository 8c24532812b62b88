/**
 * Gives the focus a place once what had it has left the page: the row of a list
 * that Tab leads to, or what a dialog is read from, or the screen. It looks after
 * the draw that is under way, and only where nothing else has the focus by then.
 */
export function focusHome(): void {
  queueMicrotask(() => {
    const at = document.activeElement
    if (at !== null && at !== document.body) return
    const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
    const home = scope.querySelector<HTMLElement>('[data-focus-home]') ?? scope.querySelector<HTMLElement>('[data-first-focus], main')
    home?.focus()
  })
}

/** As a ref of a button that leaves the page by what it does. */
export function handsFocusOn(button: HTMLElement | null): () => void {
  return () => {
    if (document.activeElement === button) focusHome()
  }
}

/** As a ref of what stands in a row, which may leave the page while the focus is on it or in it. */
export function leavesFocus(element: HTMLElement | null): () => void {
  return () => {
    if (element?.closest('[data-key]')?.contains(document.activeElement)) focusHome()
  }
}

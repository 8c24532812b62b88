/** As a ref: comes into view from its beginning and takes the focus. Stable, so that it does so once. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'start' })
}

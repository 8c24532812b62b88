/**
 * Takes the keyboard from a text field before it leaves the page: a ref for each of them.
 * WebKitGTK's page process ends when a field that has it is removed while assistive
 * technology listens.
 */
export function letGo(field: HTMLElement | null): () => void {
  return () => {
    if (field !== null && document.activeElement === field) field.blur()
  }
}

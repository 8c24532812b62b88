import { isWriting } from './is-writing'
import { letGo } from './let-go'

/** As a ref: the key / leads to a search field, but not out of a text that is being written, nor out of a dialog. */
export function searchKey(field: HTMLInputElement | null): () => void {
  const leave = letGo(field)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (isWriting(event.target) || document.querySelector('dialog[open]')) return
    event.preventDefault()
    field?.focus()
    field?.select()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => {
    leave()
    document.removeEventListener('keydown', onKeyDown)
  }
}

import { useEffect, useLayoutEffect, type RefObject } from 'react'
import { isWriting } from './is-writing'
import { letGo } from './let-go'

/** The key / leads to a search field, but not out of a text that is being written, nor out of a dialog. */
export function useSearchKey(field: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => letGo(field.current), [field])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (isWriting(event.target) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [field])
}

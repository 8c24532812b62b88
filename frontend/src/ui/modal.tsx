import { useEffectEvent, useLayoutEffect, useRef, type ComponentProps, type ReactNode } from 'react'
import css from './modal.module.css'
import { focusHome } from './object-list/focus-home'

interface Props extends Omit<ComponentProps<'dialog'>, 'onCancel' | 'onClose'> {
  /** Escape, or the browser closing the dialog by its own means. It decides nothing. */
  onDismiss: () => void
  children: ReactNode
}

/**
 * A native modal dialog that is open while it is mounted. The browser keeps the
 * focus inside and gives it back; whoever renders it says what is focused first
 * by `data-first-focus`.
 */
export function Modal({ onDismiss, children, className, ...rest }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const dismiss = useEffectEvent(onDismiss)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    let leaving = false
    const onCancel = (event: Event) => {
      event.preventDefault()
      dismiss()
    }
    // A browser may close a dialog in spite of preventDefault, at the second Escape. Whoever
    // renders it may have meant to go on: then it is opened again.
    const onClose = () => {
      if (leaving || dialog.open) return
      dismiss()
      setTimeout(() => {
        if (!leaving && !dialog.open) dialog.showModal()
      })
    }
    dialog.addEventListener('cancel', onCancel)
    dialog.addEventListener('close', onClose)
    dialog.showModal()
    dialog.querySelector<HTMLElement>('[data-first-focus]')?.focus()
    return () => {
      leaving = true
      dialog.removeEventListener('cancel', onCancel)
      dialog.removeEventListener('close', onClose)
      dialog.close()
      focusHome() // what had the focus before may have left meanwhile
    }
  }, [])
  return (
    <dialog ref={ref} {...rest} className={`${css.modal ?? ''} ${className ?? ''}`}>
      {children}
    </dialog>
  )
}

import css from './quoted.module.css'

interface Props {
  label: string
  /** It is on its way. */
  busy?: boolean
  onShow: () => void
}

/** Brings back what is folded away of a text. */
export function ShowAll({ label, busy = false, onShow }: Props) {
  return (
    <button type="button" className={css.more} aria-disabled={busy} onClick={onShow}>
      {label}
    </button>
  )
}

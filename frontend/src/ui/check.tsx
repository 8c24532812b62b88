import type { ReactNode } from 'react'
import css from './check.module.css'

interface Props {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** The key that does it from anywhere, as aria-keyshortcuts has it. */
  shortcut?: string
  disabled?: boolean
}

/** A labelled check box. */
export function Check({ label, checked, onChange, shortcut, disabled = false }: Props) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        aria-keyshortcuts={shortcut}
        checked={checked}
        disabled={disabled}
        onChange={(e) => {
          onChange(e.currentTarget.checked)
        }}
      />
      <span>{label}</span>
    </label>
  )
}

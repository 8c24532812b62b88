import type { ReactNode } from 'react'
import css from './check.module.css'

interface Props {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** The key that does it from anywhere, as aria-keyshortcuts has it. */
  shortcut?: string
}

/** A labelled check box. */
export function Check({ label, checked, onChange, shortcut }: Props) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        aria-keyshortcuts={shortcut}
        checked={checked}
        onChange={(e) => {
          onChange(e.currentTarget.checked)
        }}
      />
      <span>{label}</span>
    </label>
  )
}

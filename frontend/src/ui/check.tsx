import type { ReactNode } from 'react'
import css from './check.module.css'

interface Props {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A labelled check box. */
export function Check({ label, checked, onChange }: Props) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        checked={checked}
        onChange={(e) => {
          onChange(e.currentTarget.checked)
        }}
      />
      <span>{label}</span>
    </label>
  )
}

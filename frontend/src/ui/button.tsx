import type { ComponentProps } from 'react'
import css from './button.module.css'

interface Props extends ComponentProps<'button'> {
  look?: 'plain' | 'strong' | 'seal' | 'danger' | 'quiet'
  small?: boolean
}

/** A button that never submits by accident. */
export function Button({ look = 'plain', small = false, className, ...rest }: Props) {
  const classes = [css.button, css[look], small ? css.small : '', className].filter(Boolean).join(' ')
  return <button type="button" {...rest} className={classes} />
}

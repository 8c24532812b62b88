import { useId, type ReactNode } from 'react'
import css from './shapes.module.css'

interface Props {
  title: ReactNode
  children: ReactNode
}

/** One known shape of what a call is about. */
export function Shape({ title, children }: Props) {
  const id = useId()
  return (
    <section className={css.shape} aria-labelledby={id}>
      <h4 className={css.title} id={id}>
        {title}
      </h4>
      {children}
    </section>
  )
}

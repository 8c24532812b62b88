import { useId, type ReactNode } from 'react'
import css from './settings-screen.module.css'

interface Props {
  title: string
  lead?: string
  children: ReactNode
}

/** Settings that belong together. */
export function Group({ title, lead, children }: Props) {
  const id = useId()
  return (
    <section className={css.group} aria-labelledby={id}>
      <h2 className={css.title} id={id}>
        {title}
      </h2>
      {lead && <p className={css.lead}>{lead}</p>}
      {children}
    </section>
  )
}

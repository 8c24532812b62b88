import type { ReactNode } from 'react'
import css from './screen.module.css'

interface Props {
  title: string
  lead: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** The frame of every screen: what it is, what it is for, and its one main action. */
export function Screen({ title, lead, action, children }: Props) {
  return (
    <section className={css.screen} aria-labelledby="screen-title">
      <header className={css.head}>
        <div className={css.words}>
          <h1 className={css.title} id="screen-title">
            {title}
          </h1>
          <p className={css.lead}>{lead}</p>
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}

import { useId, type ReactNode } from 'react'
import { Modal } from '../../../ui/modal'
import { Seal } from '../../../ui/seal'
import css from './card.module.css'
import type { InFront } from './in-front'

interface Props extends Pick<InFront, 'queue' | 'resting' | 'notice' | 'refused' | 'expand'> {
  title: ReactNode
  /** What describes the card to a screen reader. */
  words: ReactNode
  foot: ReactNode
  children: ReactNode
}

/**
 * What a person is told in front of everything when it is no single call that waits: a title, why, and
 * what can be done. Escape is "later".
 */
export function Card({ queue, resting, notice, refused, expand, title, words, foot, children }: Props) {
  const id = useId()
  return (
    <Modal
      className={css.card ?? ''}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onDismiss={() => {
        if (!resting) queue.later()
      }}
    >
      <div className={css.frame}>
        <header className={css.head}>
          <Seal />
          <h2 className={css.title} id={`${id}-title`} tabIndex={-1} data-first-focus>
            {title}
          </h2>
          {expand}
        </header>
        <div className={css.body}>
          <div className={css.words} id={`${id}-text`}>
            {words}
          </div>
          {children}
        </div>
        <footer className={css.foot}>
          {foot}
          {notice}
          {refused}
        </footer>
      </div>
    </Modal>
  )
}

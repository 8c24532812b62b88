import { useId } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Modal } from '../../../ui/modal'
import { Seal } from '../../../ui/seal'
import { NoticeWords } from '../queue/notice-words'
import type { Notice } from '../queue/queue-state'
import css from './card.module.css'

/**
 * What was in front went by itself: it says so, and has nothing to press, so that
 * no click that was meant for it reaches what follows.
 */
export function SettledCard({ notice }: { notice: Notice }) {
  const { t } = useI18n()
  const id = useId()
  return (
    <Modal
      className={css.card ?? ''}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onDismiss={() => undefined}
    >
      <div className={css.frame}>
        <header className={css.head}>
          <Seal />
          <h2 className={css.title} id={`${id}-title`} tabIndex={-1} data-first-focus>
            <NoticeWords notice={notice} />
          </h2>
        </header>
        <p className={css.rest} id={`${id}-text`}>
          {t('queue.rest')}
        </p>
      </div>
    </Modal>
  )
}

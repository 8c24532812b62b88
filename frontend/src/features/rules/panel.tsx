import { useId, type ReactNode } from 'react'
import { Button } from '../../ui/button'
import css from './panel.module.css'
import { useI18n } from './screen'

interface Props {
  title: string
  lead: string
  onClose: () => void
  children: ReactNode
}

/** Something beside the list of rules, opened and closed by the person. */
export function Panel({ title, lead, onClose, children }: Props) {
  const { t } = useI18n()
  const id = useId()
  return (
    <section
      className={css.panel}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onClose()
      }}
    >
      <header className={css.head}>
        <h2 className={css.title} id={id}>
          {title}
        </h2>
        <Button look="quiet" small onClick={onClose}>
          {t('common.close')}
        </Button>
      </header>
      <p className={css.lead}>{lead}</p>
      {children}
    </section>
  )
}

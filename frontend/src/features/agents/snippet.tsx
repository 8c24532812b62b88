import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button'
import css from './new-token.module.css'
import { useI18n } from './screen'

/** A text to be copied as it is, under what it is for. */
export function Snippet({ label, text }: { label: ReactNode; text: string }) {
  const { t } = useI18n()
  return (
    <div className={css.snippet}>
      <p className={css.label}>
        <span>{label}</span>
        <CopyButton text={text} label={t('common.copy')} done={t('common.copied')} />
      </p>
      <pre className={css.code} tabIndex={0} translate="no">
        {text}
      </pre>
    </div>
  )
}

import type { RefObject } from 'react'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { useJsonWords } from '../../i18n/use-json-words'
import { Button } from '../../ui/button'
import { JsonView } from '../../ui/json-view/json-view'
import { Notice } from '../../ui/notice'
import css from './approval-dialog.module.css'
import type { CallInput } from './use-call-input'

interface Props {
  input: CallInput
  /** Covers the beginning of the input, for whoever wants to know whether it was in view. */
  start: RefObject<HTMLDivElement | null>
}

/** The input as it was sent, under a line that says whose words these are. */
export function CallInputView({ input, start }: Props) {
  const { t } = useI18n()
  const words = useJsonWords()
  return (
    <section className={css.input}>
      <h3 className={css.inputTitle}>
        {t('approval.input')} <small>{t('approval.inputFrom')}</small>
      </h3>
      {input.state === 'loading' && <p role="status">{t('approval.inputLoading')}</p>}
      {input.state === 'shown' && (
        <div className={css.raw}>
          <div ref={start} className={css.start} aria-hidden="true" />
          <JsonView raw={input.raw} words={words} />
        </div>
      )}
      {input.state === 'failed' && (
        <Notice tone="deny" role="alert">
          <p>{t('approval.inputFailed')}</p>
          <p>{errorText(t, input.error)}</p>
          <Button small onClick={input.retry}>
            {t('common.retry')}
          </Button>
        </Notice>
      )}
    </section>
  )
}

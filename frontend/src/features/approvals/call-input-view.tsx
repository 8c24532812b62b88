import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { useJsonWords } from '../../i18n/use-json-words'
import { Button } from '../../ui/button'
import { JsonView } from '../../ui/json-view/json-view'
import { Notice } from '../../ui/notice'
import css from './approval-dialog.module.css'
import type { CallInput } from './use-call-input'

/** The input as it was sent, under a line that says whose words these are. */
export function CallInputView({ input }: { input: CallInput }) {
  const { t } = useI18n()
  const words = useJsonWords()
  return (
    <section className={css.input}>
      <h3 className={css.inputTitle}>
        {t('approval.input')} <small>{t('approval.inputFrom')}</small>
      </h3>
      {input.state === 'loading' && <p role="status">{t('approval.inputLoading')}</p>}
      {input.state === 'shown' && <JsonView raw={input.raw} words={words} />}
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

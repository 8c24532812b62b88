import type { RefCallback, RefObject } from 'react'
import type { RiskReason } from '../../../desk/types'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { useEnvelopeWords } from '../../../i18n/use-envelope-words'
import { useJsonWords } from '../../../i18n/use-json-words'
import { Button } from '../../../ui/button'
import { EnvelopeView } from '../../../ui/envelope-view/envelope-view'
import { ErrorBoundary } from '../../../ui/error-boundary'
import { Folds } from '../../../ui/folds'
import { Notice } from '../../../ui/notice'
import type { CallInput } from '../answer/use-call-input'
import type { Looked } from '../answer/use-look'
import { PlainObject } from '../shapes/plain-object'
import css from '../shapes/shapes.module.css'
import { ShownObject } from '../shapes/shown-object'

interface Props {
  input: CallInput
  looked: Looked
  /** Cover the beginning and the end of what is shown, for whoever wants to know whether they were in view. */
  start: RefObject<HTMLDivElement | null>
  end: RefObject<HTMLDivElement | null>
  /** Takes what stands for a folded middle of what is to be read; null: nobody counts them. */
  onFold: RefCallback<Element> | null
  /** The input as the person edited it, valid or not (checkEdit); null as it was sent. */
  edited: string | null
  /** null: it is not to be edited. */
  onEdited: ((text: string | null) => void) | null
  /** Told another text when another number of deceiving characters is known. */
  onCounted: (counted: string) => void
  /** An answer is on its way: nothing may change under it. */
  readOnly: boolean
  /** Why the risk is what it is. */
  reasons: readonly RiskReason[]
}

/** What the call is about: known shapes of its input, and the whole of it as it was sent. */
export function CallObject({ input, looked, start, end, onFold, edited, onEdited, onCounted, readOnly, reasons }: Props) {
  const { t } = useI18n()
  const envelopeWords = useEnvelopeWords()
  const jsonWords = useJsonWords()
  return (
    <section className={css.object}>
      {input.state === 'shown' && input.envelope !== null && (
        <EnvelopeView raw={input.envelope} words={envelopeWords} json={{ ...jsonWords, label: envelopeWords.label }} />
      )}
      <h3 className={css.heading}>
        {t('approval.input')} <small>{t('approval.inputFrom')}</small>
      </h3>
      {input.state === 'loading' && <p role="status">{t('approval.inputLoading')}</p>}
      {input.state === 'failed' && (
        <Notice tone="deny" role="alert">
          <p>{t('approval.inputFailed')}</p>
          <p>{errorText(t, input.error)}</p>
          <Button small onClick={input.retry}>
            {t('common.retry')}
          </Button>
        </Notice>
      )}
      {input.state === 'shown' && (
        <>
          {edited !== null && <Notice tone="care" icon="edit">{t('edit.changed')}</Notice>}
          <ErrorBoundary
            fallback={() => (
              <div className={css.read}>
                <Folds value={onFold}>
                  <PlainObject raw={input.raw} onEdited={onEdited} onCounted={onCounted} />
                </Folds>
                <div ref={end} className={css.end} aria-hidden="true" />
              </div>
            )}
          >
            <ShownObject
              raw={input.raw}
              looked={looked}
              end={end}
              onFold={onFold}
              edited={edited}
              onEdited={onEdited}
              onCounted={onCounted}
              readOnly={readOnly}
              reasons={edited === null ? reasons : []}
            />
          </ErrorBoundary>
          <div ref={start} className={css.start} aria-hidden="true" />
        </>
      )}
    </section>
  )
}

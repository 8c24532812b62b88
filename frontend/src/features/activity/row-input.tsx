import { useLoaded } from '../../desk/queries'
import type { Call } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useEnvelopeWords } from '../../i18n/use-envelope-words'
import { useJsonWords } from '../../i18n/use-json-words'
import { EnvelopeView } from '../../ui/envelope-view/envelope-view'
import { JsonView } from '../../ui/json-view/json-view'
import { Notice } from '../../ui/notice'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

/** The input of a past call, or that it was removed. Mount it when it is wanted. */
export function RowInput({ call }: { call: Call }) {
  const { t } = useI18n()
  return (
    <>
      {call.original && (
        <p className={css.hashes}>
          <span>{t('activity.hashAsked', { hash: call.original.inputHash })}</span>
          <span>{t('activity.hashApproved', { hash: call.inputHash })}</span>
        </p>
      )}
      {call.inputWiped ? (
        <p className={css.hashes}>{t('activity.wiped', { hash: call.inputHash })}</p>
      ) : (
        <RawInput callId={call.id} enveloped={call.envelopeHash !== null} />
      )}
    </>
  )
}

function RawInput({ callId, enveloped }: { callId: string; enveloped: boolean }) {
  const { t } = useI18n()
  const words = useJsonWords()
  const envelopeWords = useEnvelopeWords()
  const { data, error } = useLoaded('input', [callId, enveloped])
  if (error) return <Notice tone="deny">{errorText(t, error)}</Notice>
  if (data === null) return <p>{t('common.loading')}</p>
  return (
    <>
      {data.envelope !== null && <EnvelopeView raw={data.envelope} words={envelopeWords} json={{ ...words, label: envelopeWords.label }} />}
      <JsonView raw={data.raw} words={words} />
    </>
  )
}

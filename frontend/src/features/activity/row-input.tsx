import { useEffect, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Call } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { useJsonWords } from '../../i18n/use-json-words'
import { JsonView } from '../../ui/json-view/json-view'
import { Notice } from '../../ui/notice'
import css from './activity-screen.module.css'

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
      {call.inputWiped ? <p className={css.hashes}>{t('activity.wiped', { hash: call.inputHash })}</p> : <RawInput callId={call.id} />}
    </>
  )
}

function RawInput({ callId }: { callId: string }) {
  const { t } = useI18n()
  const desk = useDesk()
  const words = useJsonWords()
  const [raw, setRaw] = useState<string | null>(null)
  const [error, setError] = useState<DeskError | null>(null)
  useEffect(() => {
    let current = true
    desk.input(callId).then(
      (text) => {
        if (current) setRaw(text)
      },
      (thrown: unknown) => {
        if (current) setError(DeskError.from(thrown))
      },
    )
    return () => {
      current = false
    }
  }, [desk, callId])
  if (error) return <Notice tone="deny">{errorText(t, error)}</Notice>
  return raw === null ? <p>{t('common.loading')}</p> : <JsonView raw={raw} words={words} />
}

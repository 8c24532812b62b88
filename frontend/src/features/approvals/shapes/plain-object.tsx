import { useI18n } from '../../../i18n/i18n'
import { useJsonWords } from '../../../i18n/use-json-words'
import { JsonCode } from '../../../ui/json-view/json-code'
import { JsonNotices } from '../../../ui/json-view/json-notices'
import { useJson } from '../../../ui/json-view/use-json'
import { Notice } from '../../../ui/notice'
import { useTold } from './use-told'

interface Props {
  raw: string
  /** null: it was not to be edited. */
  onEdited: ((text: string | null) => void) | null
  onCounted: (counted: string) => void
}

/** All of an input and nothing else, where something of it could not be shown: it is another view, and an edit that is not in view is dropped. */
export function PlainObject({ raw, onEdited, onCounted }: Props) {
  const { t } = useI18n()
  const words = useJsonWords()
  const reading = useJson(raw)
  useTold(`plain ${String(reading.counts?.hidden ?? 0)} ${String(reading.counts?.foreign ?? 0)}`, (marks) => {
    onEdited?.(null)
    onCounted(marks)
  })
  return (
    <>
      <Notice tone="deny" role="alert">
        {t(onEdited ? 'shape.failedEdit' : 'shape.failed')}
      </Notice>
      <JsonNotices raw={raw} reading={reading} words={words} />
      <JsonCode raw={raw} reading={reading} words={words} />
    </>
  )
}

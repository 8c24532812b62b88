import { useState } from 'react'
import { useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { Screen } from '../../ui/screen'
import { useKept } from '../../ui/use-kept'
import type { NewRule } from './new-rules'
import { draftOf, newDraft, type RuleDraft } from './rule-draft'
import { RulesBody } from './rules-body'
import { useI18n } from './screen'

const none: readonly NewRule[] = []

/** All rules in the order of judgement, and where they are written. */
export function RulesScreen() {
  const { t } = useI18n()
  const { data, error } = useLoaded('rules')
  const [drafts, setDrafts] = useKept('new rules', '', none)
  const [back, setBack] = useState(false)
  const begin = (start: RuleDraft) => {
    setDrafts((old) => [{ key: (old[0]?.key ?? 0) + 1, start }, ...old])
  }
  const close = (key: number, back: boolean) => {
    setBack(back) // to the button that led away, unless somebody writes elsewhere already
    setDrafts((old) => old.filter((draft) => draft.key !== key))
  }
  const add = (
    <Button
      look="strong"
      autoFocus={back}
      onClick={() => {
        begin(newDraft)
      }}
    >
      <Icon name="plus" /> {t('rules.add')}
    </Button>
  )
  return (
    <Screen title={t('rules.title')} lead={t('rules.lead')} action={drafts.length === 0 && add}>
      <Alert>{error && errorText(t, error)}</Alert>
      {!data && !error && <p role="status">{t('common.loading')}</p>}
      {data && (
        <RulesBody
          now={data}
          drafts={drafts}
          onDraft={(form) => {
            begin(draftOf(form))
          }}
          onClose={close}
        />
      )}
    </Screen>
  )
}

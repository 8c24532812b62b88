import { useId } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { letGo } from '../../../ui/let-go'
import css from '../dialog/approval-dialog.module.css'
import { Fact } from '../dialog/fact'
import type { Approval } from './use-approval'

/** Reasons that an agent can act on, sent in the person's language. */
const presets = [
  ['approval.preset.narrower', 'approval.presetText.narrower'],
  ['approval.preset.explain', 'approval.presetText.explain'],
  ['approval.preset.otherwise', 'approval.presetText.otherwise'],
] as const

/** Why not, in the person's words or in those of a preset. The agent reads it. */
export function ReasonField({ approval: { draft, change, busy, undoUntil } }: { approval: Approval }) {
  const { t } = useI18n()
  const id = useId()
  const frozen = busy || undoUntil !== null
  const texts = presets.map(([, text]) => t(text))
  /** A preset takes the place of another one, and stands behind what the person wrote. */
  const add = (text: string) => {
    const own = draft.reason.trim()
    change({ reason: own === '' || texts.includes(own) ? text : `${own} ${text}` })
  }
  return (
    <Fact label={<label htmlFor={id}>{t('approval.reason')}</label>}>
      <div className={css.reasonLine}>
        <textarea
          ref={letGo}
          className={css.reason}
          id={id}
          rows={1}
          autoComplete="off"
          placeholder={t('approval.reasonHint')}
          value={draft.reason}
          readOnly={frozen}
          onChange={(e) => {
            change({ reason: e.currentTarget.value })
          }}
        />
        <div className={css.presets} role="group" aria-label={t('approval.presets')}>
          {presets.map(([name, text]) => (
            <Button
              key={name}
              small
              look="quiet"
              className={css.preset}
              title={t(text)}
              disabled={frozen || draft.reason.includes(t(text))}
              onClick={() => {
                add(t(text))
              }}
            >
              {t(name)}
            </Button>
          ))}
        </div>
      </div>
    </Fact>
  )
}

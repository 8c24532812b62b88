import { useState, type ChangeEvent, type SubmitEvent } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { NewAgent } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import css from './agents-screen.module.css'
import { useI18n } from './screen'

/** Makes an agent by its name. */
export function CreateAgent({ onCreated }: { onCreated: (made: NewAgent) => Promise<void> }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [name, setName] = useState('')
  const [error, setError] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const create = async () => {
    setBusy(true)
    try {
      await onCreated(await desk.createAgent(name))
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!busy) void create()
  }
  return (
    <form className={css.create} noValidate onSubmit={onSubmit}>
      <div className={css.name}>
        <Field
          label={t('agents.name')}
          hint={t('agents.nameHint')}
          error={error ? (error.code === 'invalid' ? error.message : errorText(t, error)) : undefined}
          value={name}
          onChange={(e: ChangeEvent<HTMLInputElement>) => {
            setName(e.currentTarget.value)
          }}
        />
      </div>
      <Button type="submit" look="strong" disabled={busy}>
        {t('agents.create')}
      </Button>
    </form>
  )
}

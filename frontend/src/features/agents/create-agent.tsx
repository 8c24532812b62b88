import { useDesk } from '../../desk/desk-context'
import type { NewAgent } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useForm } from '../../ui/use-form'
import css from './agents-screen.module.css'
import { useI18n } from './screen'

/** Makes an agent by its name. */
export function CreateAgent({ onCreated }: { onCreated: (made: NewAgent) => void }) {
  const { t } = useI18n()
  const desk = useDesk()
  const sending = useAction(
    async ({ name }: { name: string }) => {
      onCreated(await desk.createAgent(name))
    },
    { renews: ['agents'] },
  )
  const { field, form } = useForm({
    start: { name: '' },
    sending,
    fields: () => ['name'],
    fieldOf: () => 'name', // there is no other
    words: (error) => errorText(t, error),
  })
  return (
    <form className={css.create} {...form}>
      <div className={css.name}>
        <Field label={t('agents.name')} hint={t('agents.nameHint')} {...field('name')} />
      </div>
      <Button type="submit" look="strong" disabled={sending.busy}>
        {t('agents.create')}
      </Button>
    </form>
  )
}

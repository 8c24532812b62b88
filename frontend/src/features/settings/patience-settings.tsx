import type { Settings } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useForm } from '../../ui/use-form'
import { Group } from './group'
import { NumberField } from './number-field'
import { useI18n } from './screen'
import css from './settings-screen.module.css'
import type { Change } from './use-settings'

interface Draft {
  name: string
}

/** How long agents' programs wait for an answer, where the desk's own table is wrong about one. */
export function PatienceSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  const sending = useAction(async ({ name }: Draft, write: (part: Draft) => void) => {
    const refused = name === '' ? null : await change({ patience: { [name]: 60 } })
    if (refused) throw refused
    write({ name: '' })
  })
  const { field, form } = useForm({ start: { name: '' }, sending, fields: () => ['name'], fieldOf: () => 'name' })
  return (
    <Group title={t('settings.patience')} lead={t('settings.patienceLead')}>
      {Object.entries(settings.patience).map(([client, seconds]) => (
        <div key={client} className={css.client}>
          <AgentText>{client}</AgentText>
          <NumberField label={t('settings.seconds')} value={seconds} onKeep={(value) => change({ patience: { [client]: value } })} />
          <Button small aria-label={t('settings.patienceRemove', { client })} onClick={() => void change({ patience: { [client]: null } })}>
            {t('common.delete')}
          </Button>
        </div>
      ))}
      <form className={css.client} {...form}>
        <Field label={t('settings.client')} hint={t('settings.clientHint')} {...field('name')} />
        <Button type="submit">{t('settings.patienceAdd')}</Button>
      </form>
    </Group>
  )
}

import { useState, type SubmitEvent } from 'react'
import type { Settings } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Group } from './group'
import { NumberField } from './number-field'
import { useI18n } from './screen'
import css from './settings-screen.module.css'
import type { Change } from './use-settings'

/** How long agents' programs wait for an answer, where the desk's own table is wrong about one. */
export function PatienceSettings({ settings, change }: { settings: Settings; change: Change }) {
  const { t } = useI18n()
  const [name, setName] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const add = async () => {
    const refused = await change({ patience: { [name]: 60 } })
    setError(refused?.message)
    if (!refused) setName('')
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (name !== '') void add()
  }
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
      <form className={css.client} onSubmit={onSubmit}>
        <Field
          label={t('settings.client')}
          hint={t('settings.clientHint')}
          error={error}
          value={name}
          onChange={(e: { currentTarget: { value: string } }) => {
            setName(e.currentTarget.value)
          }}
        />
        <Button type="submit">{t('settings.patienceAdd')}</Button>
      </form>
    </Group>
  )
}

import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import type { Agent, MadeSession, NewSession as Wanted } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { useCallerWords } from '../../i18n/use-caller-words'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Combobox } from '../../ui/combobox'
import { quote } from '../../ui/quote'
import { Select } from '../../ui/select'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import css from './sessions.module.css'

/** How long the token of a session may live, in hours. */
const lives = ['1', '4', '8', '24'] as const

/** projectId is null until it is written: then it is the first one. */
type Draft = Omit<Wanted, 'ttlSeconds' | 'projectId'> & { projectId: string | null; hours: string }

interface Props {
  agents: readonly Agent[]
  onMade: (made: MadeSession) => void
  onCancel: () => void
}

/** A session being made for an agent, who chooses nothing of it. */
export function NewSession({ agents, onMade, onCancel }: Props) {
  const { t, language } = useI18n()
  const desk = useDesk()
  const words = useCallerWords(quote)
  const projects = useLoaded('projects').data ?? []
  const first = projects[0]?.id ?? ''
  const sending = useAction(
    async ({ hours, projectId, ...wanted }: Draft) => {
      onMade(await (await desk.roles()).makeSession({ ...wanted, projectId: (projectId ?? first).trim(), ttlSeconds: Number(hours) * 3600 }))
    },
    { renews: ['sessions'] },
  )
  const { draft, change, errors, elsewhere, form } = useForm<Draft, NonNullable<typeof sending.error>>({
    start: { agentId: agents[0]?.id ?? '', role: 'worker', purpose: 'task', projectId: null, hours: '8' },
    sending,
    onCancel,
    fields: () => ['projectId'],
    words: (error) => errorText(t, error, t('sessions.formProject')),
  })
  const hours = (n: string) => new Intl.NumberFormat(language, { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(Number(n))
  return (
    <form className={css.form} aria-label={t('sessions.new')} {...form}>
      <h3 className={css.formTitle} tabIndex={-1} ref={focus}>
        {t('sessions.new')}
      </h3>
      <Alert>{elsewhere}</Alert>
      <div className={css.fields}>
        <Select label={t('sessions.formAgent')} value={draft.agentId} options={agents.map(({ id, name }) => [id, name])} onChange={(agentId) => { change({ agentId }) }} />
        <Select label={t('sessions.formRole')} value={draft.role} options={(['worker', 'manager'] as const).map((role) => [role, words.role(role)])} onChange={(role) => { change({ role }) }} />
        <Select
          label={t('sessions.formPurpose')}
          value={draft.purpose}
          options={(['task', 'chat'] as const).map((purpose) => [purpose, words.purpose(purpose)])}
          onChange={(purpose) => { change({ purpose }) }}
        />
        <Combobox
          label={t('sessions.formProject')}
          hint={t('sessions.formProjectHint')}
          error={errors.projectId}
          value={draft.projectId ?? first}
          options={projects.map(({ id }) => id)}
          onChange={(projectId) => { change({ projectId }) }}
        />
        <Select label={t('sessions.formLife')} value={draft.hours} options={lives.map((n) => [n, hours(n)])} onChange={(next) => { change({ hours: next }) }} />
      </div>
      <div className={css.actions}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button type="submit" look="strong" disabled={sending.busy}>
          {t('sessions.make')}
        </Button>
      </div>
    </form>
  )
}

/** The form came where the button was: the focus goes with it. */
function focus(heading: HTMLElement | null): void {
  heading?.focus()
}

import { useDesk } from '../../desk/desk-context'
import { useWatched } from '../../desk/queries'
import type { HistoryState, RuleForm } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { HistoryResult } from './history-result'
import css from './history.module.css'
import { Panel } from './panel'
import { useI18n } from './screen'

interface Props {
  /** Opens a rule as a draft. */
  onOpen: (form: RuleForm) => void
  onClose: () => void
}

const everyMs = 400

/** What agents have already done on the desk's machine, read when the person says so, and the rules that it asks for. */
export function HistoryPanel({ onOpen, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { data, error } = useWatched('history', ({ state }) => state === 'reading' && everyMs)
  const renews = ['history'] as const
  const begin = useAction(() => desk.readHistory(), { renews })
  const forget = useAction(() => desk.forgetHistory(), { renews })
  const refused = begin.error ?? forget.error ?? error
  return (
    <Panel title={t('rules.past')} lead={t('rules.pastLead')} onClose={onClose}>
      <Alert>{refused && errorText(t, refused)}</Alert>
      {!data && !error && <p role="status">{t('common.loading')}</p>}
      {data?.state === 'reading' && <Progress of={data} />}
      {data?.result && <HistoryResult result={data.result} onOpen={onOpen} />}
      {data && (
        <div className={css.actions}>
          {data.state !== 'none' && (
            <Button disabled={forget.busy} onClick={() => void forget.run()}>
              {t(data.state === 'reading' ? 'rules.pastStop' : 'rules.pastForget')}
            </Button>
          )}
          {data.state !== 'reading' && (
            <Button look={data.state === 'none' ? 'strong' : 'plain'} disabled={begin.busy} onClick={() => void begin.run()}>
              <Icon name="clock" /> {t(data.state === 'none' ? 'rules.pastRead' : 'rules.pastAgain')}
            </Button>
          )}
        </div>
      )}
    </Panel>
  )
}

function Progress({ of: { files, bytes, calls } }: { of: HistoryState }) {
  const { t } = useI18n()
  return (
    <p className={css.progress} role="status">
      {t('rules.pastReading', { files, calls, megabytes: Math.round(bytes / 1e6) })}
    </p>
  )
}

import type { Narrower } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Icon } from '../../ui/icon'
import { MadeCallText } from './made-call'
import css from './preview.module.css'
import { useI18n } from './screen'

/** Whether an edit allows anything that was not allowed before. */
export function NarrowerLine({ narrower: { answer, part, example } }: { narrower: Narrower }) {
  const { t, tx } = useI18n()
  const told = answer === 'undecided' && part !== ''
  return (
    <div className={css.line}>
      <Icon name={answer === 'yes' ? 'allow' : 'warning'} />
      <div>
        <p>{told ? tx('rules.narrower.part', { part: <AgentText>{part}</AgentText> }) : t(`rules.narrower.${answer}`)}</p>
        {example && <MadeCallText call={example} />}
      </div>
    </div>
  )
}

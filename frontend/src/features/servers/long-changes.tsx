import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import css from './all-changes.module.css'
import { useI18n } from './screen'

/** The tools whose changes are not shown whole: nobody has seen all of them here. */
export function LongChanges({ names }: { names: readonly string[] }) {
  const { t } = useI18n()
  return (
    names.length > 0 && (
      <ul className={css.tools}>
        {names.map((name) => (
          <li className={css.change} key={name}>
            <h3 className={css.tool}>
              <AgentText>{name}</AgentText>
            </h3>
            <Notice tone="care">{t('servers.tooLong')}</Notice>
          </li>
        ))}
      </ul>
    )
  )
}

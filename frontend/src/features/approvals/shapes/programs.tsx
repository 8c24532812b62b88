import type { CommandLook } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Icon } from '../../../ui/icon'
import css from './shapes.module.css'

const places = { builtin: 'shape.programBuiltin', function: 'shape.programFunction' } as const

/** Which program each word of a command means on this machine. */
export function Programs({ command: { programs, more, deskPath } }: { command: CommandLook }) {
  const { t, tx } = useI18n()
  return (
    <ul className={css.programs}>
      {programs.map(({ word, path }, i) => {
        const known = path === 'builtin' || path === 'function' ? places[path] : path === null ? 'shape.programUnknown' : deskPath && !word.includes('/') ? 'shape.programByDesk' : 'shape.programAt'
        return (
          <li key={i} className={path === null ? css.unknown : css.known}>
            <Icon name={path === null ? 'warning' : 'tool'} />
            <span>{tx(known, { word: <AgentText as="path">{word}</AgentText>, path: <AgentText as="path">{path ?? ''}</AgentText> })}</span>
          </li>
        )
      })}
      {more > 0 && (
        <li className={css.unknown}>
          <Icon name="warning" />
          <span>{t('shape.programMore', { count: more })}</span>
        </li>
      )}
    </ul>
  )
}

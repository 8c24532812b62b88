import type { CommandLook } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Notice } from '../../../ui/notice'
import { CommandLines } from './command-lines'
import { Programs } from './programs'
import type { Mark } from './risk-marks'
import { Shape } from './shape'
import css from './shapes.module.css'
import { writesOf } from './writes'

/** A command, one step a line, and which programs it means. */
export function CommandShape({ command, marks = [] }: { command: CommandLook; marks?: readonly (readonly (Mark | null)[])[] }) {
  const { t, tx } = useI18n()
  return (
    <Shape title={t('shape.command')}>
      {!command.parsed && (
        <Notice tone="care">
          {t('shape.commandUnparsed')} <AgentText as="prose">{command.error}</AgentText>
        </Notice>
      )}
      <ol className={css.command} aria-label={t('shape.commandSteps')} dir="ltr" translate="no">
        <CommandLines lines={command.lines} marks={marks} />
      </ol>
      {command.argv && <p className={css.soft}>{t('shape.commandArgv')}</p>}
      {writesOf(command.lines).map((target, i) => (
        <Notice key={i} tone="care">
          {tx('shape.commandWrites', { target: <AgentText as="path">{target}</AgentText> })}
        </Notice>
      ))}
      <Programs command={command} />
      <p className={css.soft}>{command.cwd === '' ? t('shape.commandNoFolder') : tx('shape.commandFolder', { folder: <AgentText as="path">{command.cwd}</AgentText> })}</p>
    </Shape>
  )
}

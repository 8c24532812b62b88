import { Fragment } from 'react'
import type { LastLook } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { When } from '../../../i18n/when'
import { AgentText } from '../../../ui/agent-text'
import { Icon } from '../../../ui/icon'
import { splitJsonText } from '../../../ui/split-text'
import { Stretches } from '../../../ui/stretches'
import { differsWholly } from './differs-wholly'
import css from './shapes.module.css'

/** What is other than in the last call like this one that a person approved. members: how many the input has now. */
export function LastDifference({ last, members }: { last: LastLook; members: number }) {
  const { t, tx } = useI18n()
  const time = <When at={last.decidedAt} />
  const keys = [...last.changed.map((c) => c.key), ...last.added, ...last.removed.map((r) => r.key)]
  const as = last.cwd === null ? 'shape.lastSame' : 'shape.lastSameElsewhere'
  const none = differsWholly(last, members)
  return (
    <div className={css.last}>
      <p className={css.lastLine}>
        <Icon name={last.same && last.cwd === null ? 'allow' : 'clock'} />
        <span>{last.same ? tx(as, { time }) : tx(none ? 'shape.lastOther' : 'shape.lastDiffers', { time, keys: <Keys of={keys} /> })}</span>
      </p>
      {last.cwd !== null && (
        <p>{last.cwd === '' ? t('shape.lastNoFolder') : tx('shape.lastFolder', { folder: <AgentText as="path">{last.cwd}</AgentText> })}</p>
      )}
      {!last.same && (
        <details className={css.earlier}>
          <summary>{t('shape.lastMore')}</summary>
          <ul>
            {last.changed.map((one) => (
              <Was key={one.key} label="shape.lastWas" one={one} />
            ))}
            {last.added.map((key) => (
              <li key={key}>{tx('shape.lastAdded', { key: <AgentText>{key}</AgentText> })}</li>
            ))}
            {last.removed.map((one) => (
              <Was key={one.key} label="shape.lastRemoved" one={one} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Keys({ of }: { of: readonly string[] }) {
  return of.map((key, i) => (
    <Fragment key={key}>
      {i > 0 && ', '}
      <AgentText>{key}</AgentText>
    </Fragment>
  ))
}

function Was({ label, one: { key, before, cut } }: { label: 'shape.lastWas' | 'shape.lastRemoved'; one: LastLook['changed'][number] }) {
  const { t, tx } = useI18n()
  return (
    <li>
      {tx(label, { key: <AgentText>{key}</AgentText> })} {cut && `(${t('shape.lastCut')}) `}
      <code className={css.value} dir="ltr" translate="no">
        <Stretches of={splitJsonText(before)} />
        {cut && '…'}
      </code>
    </li>
  )
}

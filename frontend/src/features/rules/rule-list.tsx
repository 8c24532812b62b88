import { useEffect, useImperativeHandle, useMemo, useRef, useState, type ReactNode, type Ref } from 'react'
import type { Effect, Finding, Rule } from '../../desk/types'
import { isWriting } from '../../ui/is-writing'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list/virtual-list'
import { arranged, placesOf } from './arrange'
import { BulkBar } from './bulk-bar'
import { DeleteRule } from './delete-rule'
import { LastRow } from './last-row'
import { MoveNotice } from './move-notice'
import { noFilter } from './rule-filter'
import { itemKey, keyOf, lastRow, type RowItem } from './row-key'
import { RuleHead } from './rule-head'
import { RuleRow } from './rule-row'
import css from './rule-row.module.css'
import { RuleSearch } from './rule-search'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import { useEdits } from './use-edits'
import { useFilter } from './use-filter'
import { usePicks } from './use-picks'
import { useShown } from './use-shown'
import { useReorder } from './use-reorder'

export interface RuleListHandle {
  /**
   * Scrolls to a rule, whatever is looked for, and marks it; gently, where it is not in view already,
   * and without the focus of somebody who writes or is in the row.
   */
  go: (id: string, gently: boolean) => void
}

interface Goal {
  id: string
  gently: boolean
}

const rowPixels = 33
const none: readonly Finding[] = []

interface Props {
  findings: readonly Finding[]
  /** The effect that the address looks for; empty is any. */
  effect: Effect | ''
  ref: Ref<RuleListHandle>
  /** What is told at the foot of the window, wherever the list is scrolled to. */
  children: ReactNode
}

/** The rules in the order of judgement: searched, edited, moved and deleted where they stand. */
export function RuleList({ findings, effect, ref, children }: Props) {
  const { t } = useI18n()
  const { rules, known } = useAround()
  const list = useRef<VirtualListHandle>(null)
  const top = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useFilter(effect)
  const [goal, setGoal] = useState<Goal | null>(null)
  const reached = useRef<Goal | null>(null)
  const [deleting, setDeleting] = useState<Rule | null>(null)
  const picks = usePicks(rules)
  const { open, held, edit, forget } = useEdits()
  const { odd, shown } = useShown(findings, filter, open, held)
  const { moving, drag, said, error, handle } = useReorder(shown, list)
  const items = useMemo<readonly RowItem[]>(() => [...arranged(shown, moving), lastRow], [shown, moving])
  const places = useMemo(() => (moving ? placesOf(rules, shown, moving) : null), [rules, shown, moving])
  const servers = useMemo(() => [...new Set(rules.flatMap(({ serverId }) => serverId ?? []))].sort(), [rules])
  const look = (next: typeof filter) => {
    setFilter(next)
    forget()
    reached.current = goal // who looks for something is not led elsewhere any more
    if (top.current && top.current.getBoundingClientRect().top < 0) top.current.scrollIntoView()
  }
  useImperativeHandle(ref, () => ({
    go: (id, gently) => {
      setGoal({ id, gently })
    },
  }))
  // A rule that what is looked for hides, or that only just came back, is there a draw later.
  useEffect(() => {
    if (!goal || reached.current === goal) return
    const frame = requestAnimationFrame(() => {
      const row = list.current?.reveal(keyOf(goal.id), goal.gently ? 'nearest' : 'center')
      if (row) reached.current = goal
      else if (known.has(goal.id)) setFilter(noFilter)
      const elsewhere = goal.gently && (isWriting(document.activeElement) || row?.contains(document.activeElement) === true) // they did something else meanwhile
      if (!elsewhere) row?.querySelector<HTMLElement>('[data-rule]')?.focus({ preventScroll: true })
    })
    return () => {
      cancelAnimationFrame(frame)
    }
  }, [goal, shown, known, setFilter])
  const pinned = useMemo(() => [lastRow, ...[...open.keys()].map(keyOf), ...[moving?.id, drag?.id].flatMap((id) => (id === undefined ? [] : keyOf(id)))], [open, moving, drag])
  return (
    <div ref={top}>
      {rules.length > 0 && <RuleSearch filter={filter} onChange={look} servers={servers} found={shown.length} total={rules.length} />}
      {rules.length > 0 && <RuleHead shown={shown} picks={picks} />}
      <VirtualList ref={list} label={t('rules.list')} items={items} keyOf={itemKey} estimate={rowPixels} pinned={pinned} rowClass={css.item}>
        {(item, index) => {
          const dropHere = drag?.at === index
          if (item === lastRow) return <LastRow dropHere={dropHere} />
          return (
            <RuleRow
              rule={item}
              place={places?.get(item.id) ?? known.get(item.id)?.place ?? index + 1}
              findings={odd.get(item.id) ?? none}
              edited={open.get(item.id) ?? null}
              marked={goal?.id === item.id}
              grabbed={moving?.id === item.id}
              dragged={drag?.id === item.id}
              dropHere={dropHere}
              handle={handle}
              onEdit={edit}
              onDelete={setDeleting}
              picked={picks.ids.has(item.id)}
              onPick={picks.pick}
            />
          )
        }}
      </VirtualList>
      <div className={css.foot}>
        <BulkBar picks={picks} />
        <MoveNotice said={said} error={error} />
        {children}
      </div>
      {deleting && (
        <DeleteRule
          rule={known.get(deleting.id)?.rule ?? deleting}
          onDone={() => { setDeleting(null) }}
        />
      )}
    </div>
  )
}

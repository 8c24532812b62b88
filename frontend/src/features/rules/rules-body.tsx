import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import type { RuleForm } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { EmptyRules } from './empty-rules'
import { NewRules, type NewRule } from './new-rules'
import { RuleList, type RuleListHandle } from './rule-list'
import { RulePanels } from './rule-panels'
import { RulesProvider, type RulesAround, type Undoable } from './rules-context'
import { useI18n } from './screen'
import { UndoBar } from './undo-bar'
import { useAddress, type Address } from './use-address'
import { useFindings, type RulesNow } from './use-rules'
import { WaitingMatches } from './waiting-matches'

interface Props {
  now: RulesNow
  drafts: readonly NewRule[]
  /** Must be stable. */
  reload: () => Promise<void>
  /** Opens a rule as a draft. */
  onDraft: (form: RuleForm) => void
  /** back: the focus goes to what began it. */
  onClose: (key: number, back: boolean) => void
}

/** The rules once they are known: what can be done with them, what is being written, and the list. */
export function RulesBody({ now: { rules, policyVersion }, drafts, reload, onDraft, onClose }: Props) {
  const { tx } = useI18n()
  const address = useAddress()
  const findings = useFindings()
  const list = useRef<RuleListHandle>(null)
  const [saved, setSaved] = useState<RuleSaved | null>(null)
  const [undo, setUndo] = useState<{ done: Undoable; nth: number } | null>(null)
  const [missing, setMissing] = useState<Address | null>(null)
  const around = useMemo<RulesAround>(() => {
    const known = new Map(rules.map((rule, i) => [rule.id, { rule, place: i + 1 }]))
    return {
      rules,
      known,
      policyVersion,
      changed: async (now) => {
        setSaved(now ?? null)
        await reload()
      },
      offer: (done) => {
        setUndo((old) => ({ done, nth: (old?.nth ?? 0) + 1 }))
      },
      go: (id, gently = false) => {
        setMissing(null)
        list.current?.go(id, gently)
      },
    }
  }, [rules, policyVersion, reload])
  const follow = useEffectEvent(() => {
    if (around.known.has(address.rule)) around.go(address.rule)
    else setMissing(address)
  })
  useEffect(() => {
    if (address.rule === '') return
    const frame = requestAnimationFrame(follow)
    return () => {
      cancelAnimationFrame(frame)
    }
  }, [address])
  return (
    <RulesProvider value={around}>
      <RulePanels address={address} onDraft={onDraft} />
      <NewRules drafts={drafts} onClose={onClose} />
      {rules.length === 0 && drafts.length === 0 && <EmptyRules onChanged={reload} />}
      <RuleList ref={list} findings={findings} effect={address.effect}>
        {missing !== null && missing === address && (
          <Notice tone="care" role="alert">
            {tx('rules.noSuch', { rule: <AgentText>{missing.rule}</AgentText> })}
          </Notice>
        )}
        {saved && <WaitingMatches key={`${saved.rule.id} ${saved.rule.updatedAt}`} saved={saved} />}
        {undo && (
          <UndoBar
            key={undo.nth}
            done={undo.done}
            onClose={() => {
              setUndo((now) => (now === undo ? null : now)) // a late one takes no newer offer away
            }}
          />
        )}
      </RuleList>
    </RulesProvider>
  )
}

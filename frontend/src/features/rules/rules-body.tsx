import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { renew } from '../../desk/follow'
import { useLoaded } from '../../desk/queries'
import type { Result } from '../../desk/resources'
import type { Finding, RuleForm } from '../../desk/types'
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
import { WaitingMatches } from './waiting-matches'

interface Props {
  now: Result<'rules'>
  drafts: readonly NewRule[]
  /** Opens a rule as a draft. */
  onDraft: (form: RuleForm) => void
  /** back: the focus goes to what began it. */
  onClose: (key: number, back: boolean) => void
}

const none: readonly Finding[] = []

/** The rules once they are known: what can be done with them, what is being written, and the list. */
export function RulesBody({ now: { rules, policyVersion }, drafts, onDraft, onClose }: Props) {
  const { tx } = useI18n()
  const address = useAddress()
  const desk = useDesk()
  const findings = useLoaded('findings').data ?? none
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
        await renew(desk, ['rules'])
      },
      offer: (done) => {
        setUndo((old) => ({ done, nth: (old?.nth ?? 0) + 1 }))
      },
      go: (id, gently = false) => {
        setMissing(null)
        list.current?.go(id, gently)
      },
    }
  }, [rules, policyVersion, desk])
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
      {rules.length === 0 && drafts.length === 0 && <EmptyRules />}
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

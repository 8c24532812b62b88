import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { renew } from '../../desk/follow'
import { useAnswer, useLoaded } from '../../desk/queries'
import type { Result } from '../../desk/resources'
import type { Finding, RuleForm, Wording } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { EmptyRules } from './empty-rules'
import { NewRules, type NewRule } from './new-rules'
import { RuleList, type RuleListHandle } from './rule-list'
import { RulePanels } from './rule-panels'
import { RulesProvider, type RulesAround } from './rules-context'
import { useI18n } from './screen'
import { UndoBar } from './undo-bar'
import type { Undoable } from './undo-steps'
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

const noWordings: readonly Wording[] = []
const none: readonly Finding[] = []
/** What was done since the screen was opened and can be taken back, the last first; closed, it is not offered until something else is done. */
const nothingDone: { all: readonly { done: Undoable; nth: number }[]; closed: boolean } = { all: [], closed: false }

/** The rules once they are known: what can be done with them, what is being written, and the list. */
export function RulesBody({ now: { rules, policyVersion }, drafts, onDraft, onClose }: Props) {
  const { tx } = useI18n()
  const address = useAddress()
  const desk = useDesk()
  const findings = useLoaded('findings').data ?? none
  const conditions = useMemo(() => [...new Set(rules.flatMap(({ condition }) => condition ?? []))], [rules])
  const wordings = useAnswer(0, 'wordings', conditions.length > 0 ? [conditions] : null).data ?? noWordings
  const list = useRef<RuleListHandle>(null)
  const [saved, setSaved] = useState<RuleSaved | null>(null)
  const [undo, setUndo] = useState(nothingDone)
  const [last] = undo.all
  const [missing, setMissing] = useState<Address | null>(null)
  const around = useMemo<RulesAround>(() => {
    const known = new Map(rules.map((rule, i) => [rule.id, { rule, place: i + 1 }]))
    return {
      rules,
      known,
      wordings: new Map(wordings.map((wording) => [wording.condition, wording])),
      policyVersion,
      changed: async (now) => {
        setSaved(now ?? null)
        await renew(desk, ['rules'])
      },
      offer: (done) => {
        setUndo(({ all }) => ({ all: [{ done, nth: (all[0]?.nth ?? 0) + 1 }, ...all], closed: false }))
      },
      go: (id, gently = false) => {
        setMissing(null)
        list.current?.go(id, gently)
      },
    }
  }, [rules, wordings, policyVersion, desk])
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
        {last && !undo.closed && (
          <UndoBar
            key={last.nth}
            done={last.done}
            more={undo.all.length - 1}
            onUndone={() => {
              setUndo(({ all }) => ({ all: all.filter(({ nth }) => nth !== last.nth), closed: false }))
            }}
            onClose={() => {
              setUndo(({ all }) => ({ all, closed: true }))
            }}
          />
        )}
      </RuleList>
    </RulesProvider>
  )
}

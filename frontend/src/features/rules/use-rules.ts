import { useEffect, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import type { Finding, Rule, Suggestion } from '../../desk/types'
import { useDeskData, type DeskData } from '../../desk/use-desk-data'

/** The rules in the order of judgement, and the version that says whether they changed. */
export interface RulesNow {
  rules: readonly Rule[]
  policyVersion: string
}

const ruleKinds = ['rules.', 'clock'] // rules are used, and expire, without an event
const gatherMs = 2000

/** The rules as the desk judges them now. What did not change stays the same object. */
export function useRules(): DeskData<RulesNow> {
  const desk = useDesk()
  const [load] = useState(loader)
  const data = useDeskData(load, ruleKinds)
  const { reload } = data
  // Each decision counts a hit somewhere. Many come at once, and a long list is not for each of them.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = desk.subscribe(({ kind }) => {
      if (kind !== 'call.decided') return
      timer ??= setTimeout(() => {
        timer = undefined
        void reload()
      }, gatherMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [desk, reload])
  return data
}

function loader(): (desk: Desk) => Promise<RulesNow> {
  let known = new Map<string, Rule>()
  return async (desk) => {
    const { rules, policyVersion } = await desk.rules()
    const same = rules.map((rule) => {
      const old = known.get(rule.id)
      return old && old.updatedAt === rule.updatedAt && old.hits === rule.hits && old.lastHitAt === rule.lastHitAt ? old : rule
    })
    known = new Map(same.map((rule) => [rule.id, rule]))
    return { rules: same, policyVersion }
  }
}

/** What is odd about the rules as they are. */
export function useFindings(): readonly Finding[] {
  return useDeskData(loadFindings, ruleKinds).data ?? nothing
}

const nothing: readonly Finding[] = []

function loadFindings(desk: Desk): Promise<Finding[]> {
  return desk.lint()
}

/** Rules that would have given the person's own answers. */
export function useSuggestions(): readonly Suggestion[] {
  return useDeskData(loadSuggestions, ruleKinds).data ?? noSuggestions
}

const noSuggestions: readonly Suggestion[] = []

function loadSuggestions(desk: Desk): Promise<Suggestion[]> {
  return desk.suggestions()
}

/** The names of the known servers, to choose from while writing a rule. */
export function useServerIds(): string[] {
  return useDeskData(loadServerIds, serverKinds).data ?? []
}

const serverKinds = ['servers.']

async function loadServerIds(desk: Desk): Promise<string[]> {
  return (await desk.servers()).map((server) => server.id)
}

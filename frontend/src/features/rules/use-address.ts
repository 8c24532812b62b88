import { useMemo } from 'react'
import type { Effect } from '../../desk/types'
import { useHash } from '../../ui/use-hash'

/** What the address asks of this screen: #/rules?rule=ID shows a rule, ?test=ID tries a call, ?grant=ID keeps a grant's answer as a rule, ?effect=allow lists the rules that allow, ?suggestions=1 opens the suggested ones. */
export interface Address {
  rule: string
  test: string
  grant: string
  effect: Effect | ''
  suggestions: boolean
}

const effects: readonly Effect[] = ['allow', 'ask', 'deny']

export function useAddress(): Address {
  const hash = useHash()
  return useMemo(() => {
    const query = new URLSearchParams(hash.slice(hash.indexOf('?') + 1))
    const of = (name: string) => query.get(name) ?? ''
    return { rule: of('rule'), test: of('test'), grant: of('grant'), effect: effects.find((name) => name === query.get('effect')) ?? '', suggestions: query.has('suggestions') }
  }, [hash])
}

import { Fragment, type ReactNode } from 'react'
import { useI18n, type I18n } from './i18n'
import { isKey } from './words'

/** A code with the values that its words name, and the same in English. */
interface Said {
  code: string | null
  params: Readonly<Record<string, string | number>>
  text: string
}

/** What nobody sees in a name, and what changes the order of its letters. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The families of codes that the desk says something by: their keys begin so. */
type Family = 'riskReason' | 'why' | 'field' | 'rules.why' | 'rules.lint' | 'rules.reachWhy'

/** What the desk says by codes of one family, in the person's language; in its own English where there are no words for a code. */
export function useCodeWords(family: Family) {
  const { t, tx } = useI18n()
  const known = (code: string | null) => {
    const key = `${family}.${code}`
    return isKey<Parameters<I18n['t']>[0]>(key) ? key : null
  }
  const shown = ({ code, params, text }: Said, quote: (text: string) => ReactNode, more: Record<string, ReactNode> = {}) => {
    const key = known(code)
    if (key === null) return quote(text)
    const quoted = Object.entries(params).map(([name, value]) => [name, typeof value === 'number' ? value : quote(String(value))])
    return tx(key, { ...(Object.fromEntries(quoted) as Record<string, ReactNode>), ...more })
  }
  return {
    /** As a text, for a title. */
    plain: ({ code, params, text }: Said): string => {
      const key = known(code)
      return (key === null ? text : t(key, params)).replace(unseen, '\uFFFD')
    },
    /** quote shows what is not the desk's own: a value of the call, or its English; more are elements for places of ours. */
    shown,
    /** Several, with marks between them. */
    list: (said: readonly Said[], quote: (text: string) => ReactNode): ReactNode =>
      said.map((one, i) => (
        <Fragment key={i}>
          {i > 0 && '; '}
          {shown(one, quote)}
        </Fragment>
      )),
  }
}

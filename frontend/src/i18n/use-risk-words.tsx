import { Fragment, type ReactNode } from 'react'
import { useCallWords } from './call-words'
import { isKey } from './words'

interface Reason {
  code: string
  params: Readonly<Record<string, string>>
  text: string
}

/** What nobody sees in a name, and what changes the order of its letters. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The reasons of a risk in the person's language; the desk's own English where we have no words for one. */
export function useRiskWords() {
  const { t, tx, ready } = useCallWords()
  const known = (code: string) => {
    const key = `riskReason.${code}`
    return ready && isKey<Parameters<typeof t>[0]>(key) ? key : null
  }
  return {
    /** As a text, for a title. */
    plain: ({ code, params, text }: Reason): string => {
      const key = known(code)
      return (key === null ? text : t(key, params)).replace(unseen, '�')
    },
    /** quote shows what is of the call. */
    shown: (reasons: readonly Reason[], quote: (text: string) => ReactNode): ReactNode =>
      reasons.map(({ code, params, text }, i) => {
        const key = known(code)
        const quoted = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, quote(value)]))
        return (
          <Fragment key={i}>
            {i > 0 && '; '}
            {key === null ? quote(text) : tx(key, quoted)}
          </Fragment>
        )
      }),
  }
}

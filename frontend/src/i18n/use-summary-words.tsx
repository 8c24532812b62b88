import { Fragment, type ReactNode } from 'react'
import { useCoded } from './coded'
import { isKey } from './words'

interface Program {
  program: string
  effects: readonly string[]
}

interface Summary {
  code: string
  params: Readonly<Record<string, string | number>>
  programs: readonly Program[]
  rest: readonly string[]
  text: string
}

type Quote = (text: string, as?: 'path') => ReactNode

/** What a call does, in the person's language; quote shows text of agents and servers. */
export function useSummaryWords(quote: Quote) {
  const { language, t, tx, coded } = useCoded()

  const listed = (items: readonly ReactNode[]): ReactNode =>
    new Intl.ListFormat(language, { type: 'conjunction' })
      .formatToParts(items.map((_, i) => String(i)))
      .map(({ type, value }, i) => <Fragment key={i}>{type === 'element' ? items[Number(value)] : value}</Fragment>)

  /** What a program or a part does, in a few words. */
  const effects = (all: readonly string[]): ReactNode =>
    listed(
      all.map((effect) => {
        const key = `does.${effect}`
        return coded && isKey<Parameters<typeof t>[0]>(key) ? t(key) : effect
      }),
    )

  const programs = ({ programs: named, rest, params }: Summary): ReactNode[] => {
    const items = named.map(({ program, effects: all }) =>
      tx('programs.item', { program: program === '' ? t('programs.shell') : quote(program), effects: effects(all) }),
    )
    return rest.length === 0 ? items : [...items, tx('programs.rest', { number: Number(params.more), effects: effects(rest) })]
  }

  /** The one line; the desk's own English where there are no words for it. */
  const line = (summary: Summary): ReactNode => {
    const { code, params, text } = summary
    const key = `summary.${code}`
    if (!coded || !isKey<Parameters<typeof t>[0]>(key)) return quote(text)
    const places = Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? quote(value, name === 'path' ? 'path' : undefined) : value])
    const items = programs(summary)
    const what = tx(key, { ...Object.fromEntries(places), list: listed(items) })
    return code === 'runs_unclear' && items.length > 0 ? tx('programs.besides', { what, list: listed(items) }) : what
  }

  return { line, effects }
}

import { Fragment, type ReactNode } from 'react'
import { useCoded } from './coded'
import { listed, type Quote } from './listed'
import { isKey } from './words'

interface Program {
  program: string
  effects: readonly string[]
}

/** What the desk says that a call does. */
export interface SaidSummary {
  code: string
  params: Readonly<Record<string, string | number>>
  programs: readonly Program[]
  rest: readonly string[]
  text: string
}

/** Languages that write a list with a mark of their own. */
const unspaced: readonly string[] = ['ja', 'zh-TW']

/** What a call does, in the person's language; quote shows text of agents and servers. */
export function useSummaryWords(quote: Quote) {
  const { language, t, tx, coded } = useCoded()

  /** What a program or a part does, in a few words. */
  const effects = (all: readonly string[]): ReactNode =>
    listed(
      language,
      'conjunction',
      all.map((effect) => {
        const key = `does.${effect}`
        return coded && isKey<Parameters<typeof t>[0]>(key) ? t(key) : effect
      }),
    )

  const programs = ({ programs: named, rest, params }: SaidSummary): ReactNode[] => {
    const items = named.map(({ program, effects: all }) =>
      tx('programs.item', { program: program === '' ? t('programs.shell') : quote(program), effects: effects(all) }),
    )
    return rest.length === 0 ? items : [...items, tx('programs.rest', { number: Number(params.more), effects: effects(rest) })]
  }

  /** What it does, as the middle of a sentence; the desk's own English where there are no words for it. */
  const act = (summary: SaidSummary): ReactNode => {
    const { code, params, text } = summary
    const key = code === 'reads_files' && params.count === 1 ? 'wants.readsOne' : `act.${code}`
    if (!coded || !isKey<Parameters<typeof t>[0]>(key)) return quote(text)
    const places = Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? quote(value, name === 'path' ? 'path' : undefined) : value])
    const items = programs(summary)
    const mark = unspaced.includes(language) ? '、' : ', ' // "and" stands between the effects of one
    const list = items.map((item, i) => (
      <Fragment key={i}>
        {i > 0 && mark}
        {item}
      </Fragment>
    ))
    const what = tx(key, { ...Object.fromEntries(places), list })
    return code === 'runs_unclear' && items.length > 0 ? tx('programs.besides', { what, list }) : what
  }

  return { act, effects }
}

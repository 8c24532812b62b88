import { Fragment, type ReactNode } from 'react'
import { cached } from './cached'

/** Shows text of agents and servers in the middle of words of ours. */
export type Quote = (text: string, as?: 'path') => ReactNode

const lists = {
  unit: cached((language = '') => new Intl.ListFormat(language, { type: 'unit' })),
  conjunction: cached((language = '') => new Intl.ListFormat(language, { type: 'conjunction' })),
}

/** Several things, with the marks of a language between them; a conjunction has "and" before the last. */
export function listed(language: string, type: 'unit' | 'conjunction', all: readonly ReactNode[]): ReactNode {
  return lists[type](language)
    .formatToParts(all.map((_, i) => String(i)))
    .map(({ type, value }, i) => <Fragment key={i}>{type === 'element' ? all[Number(value)] : value}</Fragment>)
}

import { cached } from './cached'
import type { Plural } from './catalogue'

export type Values = Record<string, string | number>

const plurals = cached((language = '') => new Intl.PluralRules(language))
const numbers = cached((language = '') => new Intl.NumberFormat(language))

/** The form of a message for a count, in the language's own plural categories. */
export function pick(message: string | Plural, language: string, count: unknown): string {
  if (typeof message === 'string') return message
  const category = plurals(language).select(typeof count === 'number' ? count : 0)
  return message[category] ?? message.other
}

/** Splits a message at its {placeholders}: text and names take turns, text first. */
export function parts(message: string): string[] {
  return message.split(/\{([a-zA-Z]+)\}/)
}

/** Fills placeholders; numbers are written the language's way. */
export function fill(message: string, language: string, values: Values): string {
  return parts(message)
    .map((part, i) => (i % 2 === 0 ? part : write(values[part] ?? `{${part}}`, language)))
    .join('')
}

/** A number below a thousand is written alike in all languages of the page; the format of others takes the web view 4 ms to make. */
export function write(value: string | number, language: string): string {
  if (typeof value === 'string') return value
  return Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : numbers(language).format(value)
}

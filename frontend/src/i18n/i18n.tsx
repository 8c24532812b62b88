import { createContext, Fragment, startTransition, use, useLayoutEffect, useMemo, useState, type ReactNode } from 'react'
import type { Language, MessageKey } from './catalogue'
import { fill, parts, pick, write, type Values } from './format'
import { firstLanguage, storeLanguage } from './language'
import { codeWords, hasWords, loadLanguage, loadWords, message } from './words'

/** The person's language. K are the keys of the words that are loaded where it is spoken. */
export interface I18n<K extends string = MessageKey> {
  language: Language
  /** Whether the words of the desk's codes are there. */
  coded: boolean
  setLanguage: (language: Language) => void
  /** A message as text. */
  t: (key: K, values?: Values) => string
  /** A message with elements in its places. */
  tx: (key: K, values: Record<string, ReactNode>) => ReactNode
}

const I18nContext = createContext<I18n | null>(null)

/** Speaks the person's language to everything below, and says which in <html lang>. first is the language whose words are loaded. */
export function I18nProvider({ first, children }: { first?: Language; children: ReactNode }) {
  const [language, setLanguage] = useState(first ?? firstLanguage)
  const [coded, setCoded] = useState(hasWords(codeWords, language))
  useLayoutEffect(() => {
    document.documentElement.lang = language // before the page is drawn, since fonts go by it
    loadWords(codeWords, language).then(
      () => {
        setCoded(true)
      },
      () => undefined, // what the desk says stays in English
    )
  }, [language])
  const i18n = useMemo(() => {
    const choose = async (next: Language) => {
      if (!(await loadLanguage(next))) return
      storeLanguage(next)
      startTransition(() => {
        setLanguage(next)
      })
    }
    return speak(language, coded, (next) => void choose(next))
  }, [language, coded])
  return <I18nContext value={i18n}>{children}</I18nContext>
}

function speak(language: Language, coded: boolean, setLanguage: (language: Language) => void): I18n {
  const text = (key: string, count: unknown) => pick(message(language, key), language, count)
  return {
    language,
    coded,
    setLanguage,
    t: (key, values = {}) => fill(text(key, values.count), language, values),
    tx: (key, values) =>
      parts(text(key, values.count)).map((part, i) => {
        const value = i % 2 === 0 ? part : values[part]
        return <Fragment key={i}>{typeof value === 'number' ? write(value, language) : value}</Fragment>
      }),
  }
}

/** The person's language. */
export function useI18n(): I18n {
  const i18n = use(I18nContext)
  if (!i18n) throw new Error('useI18n stands outside of I18nProvider')
  return i18n
}

/** The person's language for a screen, whose own words are loaded with it. */
export function i18nWith<Own>(): () => I18n<MessageKey | (keyof Own & string)> {
  return useI18n as () => I18n<string>
}

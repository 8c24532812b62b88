import type { words as codes } from './codes/en'
import type { words } from './en'

/** The forms of a counted message, by the plural categories of Intl.PluralRules. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

export type Message = string | Plural

/** The keys of the first words. */
export type MessageKey = keyof typeof words

/** Messages in another language: every key of English, counted where English is counted. */
export type In<T> = { readonly [K in keyof T]: T[K] extends string ? string : Plural }

/**
 * The words that every page has from its start: those of what stands around the screens, of the
 * approval dialog and of the first screen.
 */
export type FirstWords = In<typeof words>

/** The words of what the desk says by a code, which come right after the first ones. */
export type CodeWords = In<typeof codes>

export const languages = ['en', 'ja', 'zh-TW', 'ru'] as const

export type Language = (typeof languages)[number]

/** The languages in their own words. */
export const languageNames: Record<Language, string> = { en: 'English', ja: '日本語', 'zh-TW': '繁體中文', ru: 'Русский' }

import { languages, type Language, type Message } from './catalogue'

/** The catalogues of a part of the page, a file for each language. */
export type WordFiles = Record<Language, () => Promise<{ words: Readonly<Record<string, Message>> }>>

/** The catalogues of what every page has from its start. */
export const firstWords: WordFiles = {
  en: () => import('./en'),
  ja: () => import('./ja'),
  'zh-TW': () => import('./zh-tw'),
  ru: () => import('./ru'),
}

/** The catalogues of what the desk says by a code. */
export const codeWords: WordFiles = {
  en: () => import('./codes/en'),
  ja: () => import('./codes/ja'),
  'zh-TW': () => import('./codes/zh-tw'),
  ru: () => import('./codes/ru'),
}

const messages: Record<Language, Record<string, Message>> = { en: {}, ja: {}, 'zh-TW': {}, ru: {} }

/** The parts whose words were asked for, and the languages in which they came. */
const parts = new Map<WordFiles, Set<Language>>()

/** Loads the words of a part of the page in a language. */
export async function loadWords(files: WordFiles, language: Language): Promise<void> {
  const came = parts.get(files) ?? new Set()
  parts.set(files, came)
  addWords(language, (await files[language]()).words)
  came.add(language)
}

/** Whether the words of a part are loaded in a language. */
export function hasWords(files: WordFiles, language: Language): boolean {
  return parts.get(files)?.has(language) === true
}

let wanted: Language | null = null

/**
 * Loads all words in a language that the page has in another one; false where the first ones do not come,
 * or another language was wanted meanwhile. A part whose words do not come tells of that itself.
 */
export async function loadLanguage(language: Language): Promise<boolean> {
  wanted = language
  const tried = new Set<WordFiles>()
  for (;;) {
    const missing = [...parts.keys()].filter((files) => !tried.has(files) && !hasWords(files, language)) // one may be opened meanwhile
    if (missing.length === 0) return hasWords(firstWords, language) && wanted === language
    for (const files of missing) tried.add(files)
    await Promise.allSettled(missing.map((files) => loadWords(files, language)))
  }
}

/** Loads the first words in a language, or in English where they do not come; gives the language that did. */
export async function loadFirstWords(language: Language): Promise<Language> {
  for (const next of [language, language, 'en'] as const) {
    const loaded = await loadWords(firstWords, next).then(() => true, () => false)
    if (loaded) return next
  }
  throw new Error('no words can be loaded')
}

export function addWords(language: Language, words: Readonly<Record<string, Message>>): void {
  Object.assign(messages[language], words)
}

/** The message of a key. */
export function message(language: Language, key: string): Message {
  const found = messages[language][key] ?? messages.en[key]
  if (found === undefined) throw new Error(`no words for ${key} in ${language}`)
  return found
}

/** Whether there are words for a key that was made of a code. */
export function isKey<K extends string>(key: string): key is K {
  return languages.some((language) => Object.hasOwn(messages[language], key))
}

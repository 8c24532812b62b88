import { useMemo, useSyncExternalStore } from 'react'
import type { words } from './call-words/en'
import type { Language } from './catalogue'
import { i18nWith } from './i18n'
import { hasWords, loadWords, type WordFiles } from './words'

/** The words of what calls do and of their risks. They come after the first screen. */
export const callWords: WordFiles = {
  en: () => import('./call-words/en'),
  ja: () => import('./call-words/ja'),
  'zh-TW': () => import('./call-words/zh-tw'),
  ru: () => import('./call-words/ru'),
}

const useI18n = i18nWith<typeof words>()

const failed = new Set<Language>()

/** The person's language with these words; coming: they are on their way, and without them the desk's own English is shown. */
export function useCallWords() {
  const i18n = useI18n()
  const { language } = i18n
  const store = useMemo(() => storeOf(language), [language])
  const state = useSyncExternalStore(store.subscribe, store.read)
  return { ...i18n, ready: state === 'ready', coming: state === 'coming' }
}

/** Asks for the words of a language while somebody listens. */
function storeOf(language: Language) {
  const read = () => (hasWords(callWords, language) ? 'ready' : failed.has(language) ? 'failed' : 'coming')
  const subscribe = (listener: () => void) => {
    if (read() !== 'ready')
      void loadWords(callWords, language)
        .then(() => failed.delete(language), () => failed.add(language))
        .then(listener)
    return () => undefined
  }
  return { read, subscribe }
}

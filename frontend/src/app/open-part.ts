import type { ComponentType } from 'react'
import type { Language } from '../i18n/catalogue'
import { loadWords, type WordFiles } from '../i18n/words'

/** What is loaded when a part of the page is first drawn: its component, and its words by language. */
export interface LatePart<P> {
  load: () => Promise<ComponentType<P>>
  words: WordFiles
}

/** A part of the page: one that the page has from its start, or one that is loaded. */
export type Part<P> = { component: ComponentType<P> } | LatePart<P>

const opened = new WeakMap<object, Map<Language, Promise<unknown>>>()

/**
 * The component of a part, once it and its words in a language are loaded: the same promise each time,
 * a failed one too, until forgetPart.
 */
export function openPart<P>(part: LatePart<P>, language: Language): Promise<ComponentType<P>> {
  const known = opened.get(part) ?? new Map<Language, Promise<unknown>>()
  opened.set(part, known)
  const opening = known.get(language) ?? Promise.all([part.load(), loadWords(part.words, language)]).then(([component]) => component)
  known.set(language, opening)
  return opening as Promise<ComponentType<P>>
}

/** Lets a part be loaded anew. */
export function forgetPart(part: object): void {
  opened.delete(part)
}

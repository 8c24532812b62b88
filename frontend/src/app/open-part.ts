import type { ComponentType } from 'react'
import type { Language } from '../i18n/catalogue'
import { hasWords, loadWords, type WordFiles } from '../i18n/words'
import { forgetSheets } from '../ui/late-component'

/** What is loaded when a part of the page is first drawn: its component, and its words by language. */
export interface LatePart<P> {
  load: () => Promise<ComponentType<P>>
  words: WordFiles
}

/** A part of the page: one that the page has from its start, or one that is loaded. */
export type Part<P> = { component: ComponentType<P> } | LatePart<P>

/** What came of loading a part; null while it is under way. */
export type Opened<P> = { component: ComponentType<P> } | { error: unknown } | null

/** A part being loaded in a language, as a store for React. */
export interface Opening<P> {
  subscribe: (listener: () => void) => () => void
  read: () => Opened<P>
  /** Ends when it is loaded, or cannot be. */
  over: Promise<void>
}

const components = new WeakMap<object, unknown>()
const openings = new WeakMap<object, Map<Language, unknown>>()

/** Loads a part and its words in a language, once until forgetPart. What is there already is there at once. */
export function openPart<P>(part: LatePart<P>, language: Language): Opening<P> {
  const known = openings.get(part) ?? new Map<Language, unknown>()
  openings.set(part, known)
  const opening = (known.get(language) as Opening<P> | undefined) ?? begin(part, language)
  known.set(language, opening)
  return opening
}

function begin<P>(part: LatePart<P>, language: Language): Opening<P> {
  const listeners = new Set<() => void>()
  const component = components.get(part) as ComponentType<P> | undefined
  let opened: Opened<P> = component && hasWords(part.words, language) ? { component } : null
  const settle = (next: Opened<P>) => {
    opened = next
    for (const tell of listeners) tell()
  }
  const load = async () => {
    try {
      const [component] = await Promise.all([part.load(), loadWords(part.words, language)])
      components.set(part, component)
      settle({ component })
    } catch (error) {
      settle({ error })
    }
  }
  const over = opened === null ? load() : Promise.resolve()
  return {
    over,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && opened && 'error' in opened) forgetPart(part) // another time it may be loaded
      }
    },
    read: () => opened,
  }
}

/** Lets a part be loaded anew. */
export function forgetPart(part: object): void {
  components.delete(part)
  openings.delete(part)
  forgetSheets()
}

import { languages, type Language } from './catalogue'

const key = 'sekisho.language'

/** The language that was chosen, else the first of the browser's that we speak, else English. */
export function firstLanguage(): Language {
  return stored() ?? fromBrowser(navigator.languages) ?? 'en'
}

export function fromBrowser(wanted: readonly string[]): Language | null {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0]
    const found = base === 'zh' ? traditional(tag) : languages.find((l) => l === base)
    if (found) return found
  }
  return null
}

/** Our Chinese is written in traditional characters. Who reads simplified ones (zh, zh-CN, zh-SG) is better served by the next language of the list, or English. */
function traditional(tag: string): Language | null {
  try {
    return new Intl.Locale(tag).maximize().script === 'Hant' ? 'zh-TW' : null
  } catch {
    return null // not a language tag
  }
}

function stored(): Language | null {
  try {
    const kept = localStorage.getItem(key)
    return languages.find((l) => l === kept) ?? null
  } catch {
    return null
  }
}

export function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

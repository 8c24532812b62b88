import { languages, type Language } from './catalogue'

const key = 'sekisho.language'

/** The language that was chosen, else the first of the browser's that we speak, else English. */
export function firstLanguage(): Language {
  return stored() ?? fromBrowser(navigator.languages) ?? 'en'
}

export function fromBrowser(wanted: readonly string[]): Language | null {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0]
    const found = base === 'zh' ? 'zh-TW' : languages.find((l) => l === base)
    if (found) return found
  }
  return null
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

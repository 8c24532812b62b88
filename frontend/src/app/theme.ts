export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const key = 'sekisho.theme'

/** The theme that was chosen on this machine, else the system's. */
export function storedTheme(): Theme {
  try {
    const kept = localStorage.getItem(key)
    return themes.find((theme) => theme === kept) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Shows a theme and keeps the choice. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(key, theme)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

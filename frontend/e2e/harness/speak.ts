import type { Page } from 'playwright-core'
import { choose } from './choose'

const names = { en: 'English', ja: '日本語', 'zh-TW': '繁體中文', ru: 'Русский' } as const

/** The languages of the page. */
export const languages = Object.keys(names) as readonly (keyof typeof names)[]

/** Has a loaded page speak another language, by the choice in its settings or beside the way to sign in. It stays where it is. */
export async function speak(page: Page, language: keyof typeof names): Promise<void> {
  const go = (hash: string) =>
    page.evaluate((to) => {
      location.hash = to
    }, hash)
  const here = new URL(page.url()).hash
  await go('#/settings')
  await choose(page.getByRole('combobox').filter({ hasText: new RegExp(`^(${Object.values(names).join('|')})$`) }), names[language])
  await page.locator(`html[lang="${language}"]`).waitFor()
  await go(here)
}

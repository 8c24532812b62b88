import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'

/** Each language once and each theme twice: colours are of the theme, names and lengths of the language. */
export const faces: readonly { locale: string; colorScheme: 'light' | 'dark' }[] = [
  { locale: 'en-US', colorScheme: 'light' },
  { locale: 'ja-JP', colorScheme: 'dark' },
  { locale: 'zh-TW', colorScheme: 'light' },
  { locale: 'ru-RU', colorScheme: 'dark' },
]

type Checked = Window & { axe?: typeof axe }

/**
 * What a machine finds wrong with a page, or a part of it, for people who do not see it, or see it badly: by all
 * rules, or some. The page must be opened with bypassCSP.
 */
export async function faults(page: Page, rules?: readonly string[], part: Locator = page.locator('html')): Promise<string[]> {
  if (await page.evaluate(() => (window as Checked).axe === undefined)) await page.evaluate(axe.source)
  const found = await part.evaluate((element, only) => (window as Checked).axe?.run(element, { resultTypes: ['violations'], preload: false, ...(only && { runOnly: [...only] }) }), rules)
  if (!found) throw new Error('the checker could not be loaded')
  return found.violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`))
}

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

/** Three frames: no colour is looked at while it turns into another. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))))
}

/** The rules about colours: nothing else is another in the other theme. */
export const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * What a machine finds wrong with a page: the colours of the dark theme, then all of it in the light one. The page
 * must be opened in the dark, with bypassCSP and reduced motion.
 */
export async function faultsInBothThemes(page: Page): Promise<string[]> {
  const dark = (await faults(page, ofColours)).map((fault) => `in the dark: ${fault}`)
  await page.emulateMedia({ colorScheme: 'light' })
  await drawn(page)
  const all = await faults(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await drawn(page)
  return [...dark, ...all]
}

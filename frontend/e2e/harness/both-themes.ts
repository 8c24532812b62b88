import type { Page } from 'playwright-core'
import { faults } from './faults'

/** The rules about colours: nothing else is another in the other theme. */
const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * What a machine finds wrong with a page: the colours of the dark theme, then all of it in the light one. The page
 * must be opened in the dark, with bypassCSP and reduced motion.
 */
export async function faultsInBothThemes(page: Page): Promise<string[]> {
  const dark = (await faults(page, ofColours)).map((fault) => `in the dark: ${fault}`)
  await turn(page, 'light')
  const all = await faults(page)
  await turn(page, 'dark')
  return [...dark, ...all]
}

/** No colour is looked at while it turns into another. */
async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))))
}

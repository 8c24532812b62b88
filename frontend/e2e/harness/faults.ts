import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'

type Checked = Window & { axe?: typeof axe }

/**
 * What a machine finds wrong with a page, or a part of it, for people who do not see it, or see it badly: by all
 * rules, or some. The page must be opened with bypassCSP.
 */
export async function faults(page: Page, rules?: readonly string[], part: Locator = page.locator('html')): Promise<string[]> {
  if (await page.evaluate(() => (window as Checked).axe === undefined)) await page.evaluate(axe.source)
  const found = await part.evaluate((element, only) => (window as Checked).axe?.run(element, only ? { runOnly: [...only] } : {}), rules)
  if (!found) throw new Error('the checker could not be loaded')
  return found.violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`))
}

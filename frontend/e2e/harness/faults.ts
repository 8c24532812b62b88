import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What a machine finds wrong with a page for people who do not see it, or see it badly. The page must be opened with bypassCSP. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  return found.violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`))
}

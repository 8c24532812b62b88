import type { Page } from 'playwright-core'
import type { Desk } from './desk'
import { ApprovalDialog } from './dialog'
import { ask } from './operator'

/** Milliseconds from a call's arrival at the desk until its dialog is in the page, for as many calls, shortest first. */
export async function arrivals(page: Page, desk: Desk, agentToken: string, count: number): Promise<number[]> {
  await page.evaluate(noteDialogs)
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const tool = `arrives_${String(n)}`
    const { id } = await ask(desk.url, agentToken, tool, { input: { n } })
    const dialog = await new ApprovalDialog(page, tool).shown()
    const seen = await page.evaluate((name) => (window as unknown as { seen: Map<string, number> }).seen.get(name), tool)
    if (seen === undefined) throw new Error(`nobody saw ${tool} come`)
    times.push(seen - Date.parse((await desk.call(id)).createdAt))
    await dialog.pressDecline()
    await dialog.gone()
  }
  return times.sort((a, b) => a - b)
}

/** In the page: notes when the dialog of each tool comes. Both clocks are this machine's. */
function noteDialogs(): void {
  const seen = new Map<string, number>()
  Object.assign(window, { seen })
  const look = () => {
    for (const name of document.querySelectorAll('[role=alertdialog] h2 code')) {
      const tool = name.textContent
      if (!seen.has(tool)) seen.set(tool, Date.now())
    }
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

/** The value that as many of a hundred do not exceed. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN
}

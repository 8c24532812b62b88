import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { askBytes } from './harness/deceit'
import { setUp } from './harness/fixtures'
import { until } from './harness/wait'

const browser = aBrowser()

describe('ten megabytes', () => {
  const inputs: [string, () => string][] = [
    ['of one string', () => JSON.stringify({ text: 'A'.repeat(10_000_000), then: '; rm -rf ~\u200b' })],
    ['of numbers', () => JSON.stringify({ text: Array.from({ length: 990_000 }, (_, i) => 1_000_000_000 + i), then: '; rm -rf ~\u200b' })],
    ['of escapes and letters beyond ASCII', () => JSON.stringify({ text: '安\u202e"\\\n p\u0430y '.repeat(700_000), then: '; rm -rf ~\u200b' })],
  ]

  test.each(inputs)('%s are there within 200 ms, and all of it is counted after', async (what, make) => {
    const { desk, agentToken } = await setUp()
    await desk.changeSettings({ limits: { inputMembers: 1_000_000 } })
    const page = await openDeskPage(browser(), desk)
    const box = page.getByRole('alertdialog')
    await page.evaluate(markArrivalAndPicture)
    const input = make()
    const made = await askBytes(desk.url, agentToken, { toolName: 'run', serverId: 'shell', input })
    expect(made.status, made.body.slice(0, 300)).toBe(201)
    // Other programs of a busy machine get between: the best of some tries is what the page itself takes.
    const took: number[] = []
    do {
      if (took.length > 0) await reopen(page, box)
      await box.getByText('characters are folded here').first().waitFor({ timeout: 30_000 })
      took.push(await until('the picture', () => page.evaluate(lastOpening), 20_000))
    } while (Math.min(...took) >= 200 && took.length < 12)
    process.stdout.write(`ten megabytes ${what}: ${took.map((ms) => ms.toFixed(0)).join(', ')} ms\n`)
    expect(Math.min(...took)).toBeLessThan(200)

    await box.getByText(/hidden characters?, marked below/).waitFor({ timeout: 30_000 })
    const text = await box.innerText()
    expect(text).toContain('; rm -rf ~⟦U+200B⟧')
    expect(text).toContain(`${input.length.toLocaleString('en-US')} characters`)
  })

  async function reopen(page: Page, box: Locator): Promise<void> {
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await page.evaluate(() => {
      performance.clearMarks()
    })
    await page.getByRole('button', { name: /^Review/ }).first().click()
  }
})

/** Runs in the page. Marks when it has the text of an input, and when that was painted. */
function markArrivalAndPicture(): void {
  const { decode } = TextDecoder.prototype
  TextDecoder.prototype.decode = function (...bytes) {
    const text = decode.apply(this, bytes)
    if (text.length > 5_000_000) performance.mark('arrived')
    return text
  }
  let drawn = false
  new MutationObserver(() => {
    const there = document.querySelector('[role=alertdialog] pre') !== null
    if (there && !drawn) {
      requestAnimationFrame(() => {
        setTimeout(() => performance.mark('painted'))
      })
    }
    drawn = there
  }).observe(document, { subtree: true, childList: true })
}

/** Runs in the page. Milliseconds from the one to the other. */
function lastOpening(): number | undefined {
  const [arrived, painted] = ['arrived', 'painted'].map((name) => performance.getEntriesByName(name).at(-1)?.startTime)
  return arrived !== undefined && painted !== undefined && painted > arrived ? painted - arrived : undefined
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, openPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faults } from './harness/faults'
import { setUp } from './harness/fixtures'
import { languages, speak } from './harness/speak'
import { until } from './harness/wait'

const browser = aBrowser()

test('the address that the desk prints signs in once, to a page under a policy that lets nothing else in', async () => {
  const { desk } = await setUp()
  const answer = await fetch(desk.url)
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  const page = await openPage(browser(), desk.ready.loginUrl, { expected: /Content Security Policy/ })
  await screenLink(page, 'Rules').waitFor()
  expect(page.url()).not.toContain('login')
  expect(await page.context().cookies()).toEqual([])
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'document.title = "inline"'
    document.head.append(script)
  })
  expect(await page.title()).not.toBe('inline')
  await page.reload()
  await screenLink(page, 'Rules').waitFor()

  const second = await openPage(browser(), desk.ready.loginUrl, { expected: /401/, bypassCSP: true, reducedMotion: 'reduce' })
  await second.getByText('This sign-in address was used before').waitFor()
  await second.getByText('sekisho login-url').waitFor()
  expect(await screenLink(second, 'Rules').count()).toBe(0)
  for (const language of languages) {
    await speak(second, language)
    for (const colorScheme of ['light', 'dark'] as const) {
      await second.emulateMedia({ colorScheme })
      expect(await faults(second), `${language}, ${colorScheme}`).toEqual([])
    }
  }
})

interface Hostile {
  what: string
  tool: string
  /** A text is the raw JSON itself. */
  input: unknown
  shows: string[]
}

const hostile = JSON.parse(readFileSync(join(import.meta.dirname, 'testdata/hostile.json'), 'utf8')) as Hostile[]

test('input made to deceive is shown as what it is and makes no element, and five million characters leave the page quick', async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk)
  for (const { what, tool, input, shows } of hostile) {
    await askRaw(desk.url, agentToken, what, tool, typeof input === 'string' ? input : JSON.stringify(input))
    const box = page.getByRole('alertdialog')
    await box.getByLabel('Input of the call').waitFor({ state: 'attached' })
    await box.evaluate((dialog) => {
      for (const fold of dialog.querySelectorAll('details')) fold.open = true // where a difference or a command stands for it
    })
    const text = await box.innerText()
    for (const words of shows) expect(text, what).toContain(words)
    expect(await strangers(page), what).toEqual([])
    await box.getByRole('button', { name: 'Decline' }).click()
    await until('the queue to be empty', async () => (await desk.calls('pending')).length === 0)
    await box.waitFor({ state: 'detached' })
  }

  await askRaw(desk.url, agentToken, 'huge', 'run', JSON.stringify({ command: `${'A'.repeat(5_000_000)}; rm -rf ~` }))
  const dialog = await new ApprovalDialog(page, 'run').shown()
  await dialog.input.waitFor()
  const text = await dialog.text()
  expect(text).toMatch(/[45],\d{3},\d{3} characters? (is|are) folded/)
  expect(text).toContain('; rm -rf ~')
  expect(text.length).toBeLessThan(200_000)
  const began = performance.now()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  expect(performance.now() - began).toBeLessThan(1_000)
  await dialog.pressDecline()
  await dialog.gone()
})

/** Asks for a call whose input is exactly this text. */
async function askRaw(url: string, token: string, id: string, tool: string, input: string): Promise<void> {
  // A session for each: what is declined again and again in one would be asked about on one card.
  const body = `{"runId":"hostile","sessionId":${JSON.stringify(id)},"toolCallId":${JSON.stringify(id)},"serverId":"fs","toolName":${JSON.stringify(tool)},"input":${input}}`
  const answer = await fetch(`${url}/v1/calls`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body })
  if (answer.status !== 201) throw new Error(`${id}: ${String(answer.status)} ${await answer.text()}`)
}

/** Elements in the dialog that only an input could have made. */
function strangers(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('img, iframe, form, meta[http-equiv=refresh], base, h1, a[href^=http], [role=alertdialog] script')]
      .filter((element) => element.closest('[role=alertdialog]') ?? element.matches('meta, base, iframe'))
      .map((element) => element.outerHTML),
  )
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage, openPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faces, faults } from './harness/faults'
import { setUp } from './harness/fixtures'
import { pause, until } from './harness/wait'

const browser = aBrowser()

describe('signing in', () => {
  test('works once by the address that the desk prints', async () => {
    const { desk } = await setUp()
    const page = await openPage(browser(), desk.ready.loginUrl)
    await screenLink(page, 'Rules').waitFor()
    expect(page.url()).not.toContain('login')
    expect(await page.context().cookies()).toEqual([])
    await page.reload()
    await screenLink(page, 'Rules').waitFor()

    const second = await openPage(browser(), desk.ready.loginUrl, { expected: /401/ })
    await second.getByText('This sign-in address was used before').waitFor()
    expect(await screenLink(second, 'Rules').count()).toBe(0)
  })

  test('is explained to whoever comes without', async () => {
    const { desk } = await setUp()
    const page = await openPage(browser(), desk.url)
    await page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor()
    expect(await page.getByRole('main').innerText()).toContain('sekisho login-url')
  })
})

test('the page is served under a policy that lets nothing else in', async () => {
  const { desk } = await setUp()
  const answer = await fetch(desk.url)
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  const page = await openDeskPage(browser(), desk, { expected: /Content Security Policy/ })
  await screenLink(page, 'Rules').waitFor()
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'document.title = "inline"'
    document.head.append(script)
  })
  expect(await page.title()).not.toBe('inline')
})

interface Hostile {
  what: string
  tool: string
  /** A text is the raw JSON itself. */
  input: unknown
  shows: string[]
}

const hostile = JSON.parse(readFileSync(join(import.meta.dirname, 'testdata/hostile.json'), 'utf8')) as Hostile[]

describe('input made to deceive is shown as what it is', () => {
  test('row by row, and makes no element', async () => {
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
  })

  test('a value of five million characters: its length is said, its end is in view, the page stays quick', async () => {
    const { desk, agentToken } = await setUp()
    const page = await openDeskPage(browser(), desk)
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
})

describe('without faults that a machine can find', () => {
  test.each(faces)('in $locale, $colorScheme: sign-in, all screens and the dialog', async ({ locale, colorScheme }) => {
    const { desk, agentToken } = await setUp()
    // The checker is a script of its own, which the page's policy would keep out.
    const page = await openDeskPage(browser(), desk, { locale, colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const found: string[] = []
    const check = async (where: string, checked = page) => {
      found.push(...(await faults(checked)).map((fault) => `${where}: ${fault}`))
    }
    for (const screen of ['waiting', 'rules', 'grants', 'activity', 'servers', 'agents', 'settings']) {
      await page.locator(`nav a[href="#/${screen}"]`).click()
      await page.locator(`nav a[href="#/${screen}"][aria-current]`).waitFor()
      await pause(150)
      await check(screen)
    }
    expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(locale.slice(0, 2))
    await askRaw(desk.url, agentToken, 'axe', 'write_file', '{"path":"a\u202eb","n":[1,true,null]}')
    const box = page.getByRole('alertdialog')
    await box.waitFor()
    await pause(1_300)
    await check('the dialog')
    const stranger = await openPage(browser(), desk.url, { locale, colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    await stranger.getByText('sekisho login-url').waitFor()
    await check('sign-in', stranger)
    expect(found).toEqual([])
  })
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

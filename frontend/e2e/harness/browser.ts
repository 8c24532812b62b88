import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import type { Desk } from './desk'

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']

/** The test has ended: its agents leave while its page is open still, and what the page says of that is nobody's fault. */
let over = false

/** One browser for all files of a worker, which ends with it. */
let browser: Browser | undefined

/** The browser of a file; call what it gives inside tests. */
export function aBrowser(): () => Browser {
  beforeAll(async () => {
    if (!browser?.isConnected()) browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: quiet, headless: true })
  })
  beforeEach(() => {
    over = false
  })
  afterEach(() => {
    over = true
  })
  return () => {
    if (!browser) throw new Error('the browser runs inside tests only')
    return browser
  }
}

export interface PageOptions extends BrowserContextOptions {
  /** Words of console errors that the test means to cause. */
  expected?: RegExp
}

/**
 * Opens an address in a profile of its own, for one test. The page must do
 * nothing wrong meanwhile: no error, no warning, no request beyond its origin.
 */
export async function openPage(browser: Browser, url: string, { expected, ...options }: PageOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 720 }, locale: 'en-US', ...options })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const faults: string[] = []
  const fault = (words: string) => {
    if (!over) faults.push(words)
  }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') fault(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => {
    fault(`error: ${error.message}`)
  })
  page.on('request', (sent) => {
    if (new URL(sent.url()).origin !== new URL(url).origin) fault(`request beyond the origin: ${sent.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(faults.filter((fault) => !expected?.test(fault)), 'what the page did wrong').toEqual([])
  })
  await page.goto(url)
  return page
}

/** Opens the desk's page as its operator. */
export async function openDeskPage(browser: Browser, desk: Desk, options: PageOptions = {}): Promise<Page> {
  return openPage(browser, await desk.loginUrl(), options)
}

/** Stops the clock of a page: its timers wait until a test lets time pass. What comes over the network is shown as ever. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 1_000)
}

/** The link of the navigation that leads to a screen. A screen may have links of its own by the same name. */
export function screenLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
}

/** Goes to a screen by its address, and waits until its title is there. */
export async function goTo(page: Page, screen: string): Promise<void> {
  await page.evaluate((name) => {
    location.hash = `#/${name}`
  }, screen)
  await page.locator(`nav a[href="#/${screen}"][aria-current="page"]`).waitFor({ state: 'attached' })
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
}

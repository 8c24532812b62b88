import type { Child } from './child'
import { program } from './paths'
import { freePort, type XSession } from './x-session'
import { pause, until } from './wait'

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/** The page inside the window, driven by the W3C WebDriver protocol. */
export class WebDriver {
  readonly #base: string
  readonly #driver: Child

  constructor(base: string, driver: Child) {
    this.#base = base
    this.#driver = driver
  }

  /** What the driver and the window wrote. */
  get log(): string {
    return this.#driver.stdout + this.#driver.stderr
  }

  /** Runs the body of a function in the page and gives what it returns. */
  async run(body: string, ...args: unknown[]): Promise<unknown> {
    return send('POST', `${this.#base}/execute/sync`, { script: body, args })
  }

  /** The one element that a selector finds, once it is there. */
  async find(xpath: string, ms = 30_000): Promise<string> {
    return until(xpath, () => this.#element(xpath), ms)
  }

  async has(xpath: string): Promise<boolean> {
    return this.#element(xpath).then(
      () => true,
      () => false,
    )
  }

  async #element(xpath: string): Promise<string | undefined> {
    const found = (await send('POST', `${this.#base}/element`, { using: 'xpath', value: xpath })) as Record<string, string>
    return found[elementKey]
  }

  /** Presses an element. One that the page has drawn anew since it was found was not pressed, and is looked for again. */
  async click(xpath: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await send('POST', `${this.#base}/element/${await this.find(xpath)}/click`, {})
        return
      } catch (error) {
        if (tries === 5 || !String(error).includes('stale element reference')) throw error
      }
    }
  }

  async type(xpath: string, text: string): Promise<void> {
    await send('POST', `${this.#base}/element/${await this.find(xpath)}/value`, { text })
  }

  async text(xpath: string): Promise<string> {
    return String(await send('GET', `${this.#base}/element/${await this.find(xpath)}/text`))
  }

  /** The role and the name that the accessibility tree has for an element. */
  async named(xpath: string): Promise<{ role: unknown; label: unknown }> {
    const element = await this.find(xpath)
    return {
      role: await send('GET', `${this.#base}/element/${element}/computedrole`),
      label: await send('GET', `${this.#base}/element/${element}/computedlabel`),
    }
  }

  async end(): Promise<void> {
    await Promise.race([send('DELETE', this.#base).catch(() => undefined), pause(5_000)])
    await this.#driver.end()
  }
}

/** Starts the driver, which starts a test build of the window with a library that lets the driver in, and takes hold of its page. */
export async function drive(session: XSession, args: readonly string[]): Promise<WebDriver> {
  const port = await freePort()
  const driver = session.start('WebKitWebDriver', [`--port=${String(port)}`, '--host=127.0.0.1'])
  const base = `http://127.0.0.1:${String(port)}`
  await until('the driver', () => send('GET', `${base}/status`))
  try {
    const made = (await send('POST', `${base}/session`, {
      capabilities: {
        alwaysMatch: { 'webkitgtk:browserOptions': { binary: '/usr/bin/env', args: [`LD_PRELOAD=${program('e2e/automation.so')}`, program('e2e/sekisho-desktop'), ...args] } },
      },
    })) as { sessionId: string }
    return new WebDriver(`${base}/session/${made.sessionId}`, driver)
  } catch (error) {
    await driver.end()
    throw new Error(`start the driver: ${driver.stdout}${driver.stderr}`, { cause: error })
  }
}

async function send(method: string, url: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const { value } = (await answer.json()) as { value: unknown }
  if (answer.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${method} ${new URL(url).pathname}: ${error}: ${message}`)
}

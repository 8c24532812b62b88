import type { Locator, Page } from 'playwright-core'
import { until } from './wait'

/** The approval dialog of one tool's call. By the tool's name, because the dialog before may still be closing. */
export class ApprovalDialog {
  readonly box: Locator
  readonly approve: Locator
  readonly decline: Locator
  readonly reason: Locator
  readonly input: Locator
  readonly undo: Locator

  constructor(page: Page, tool: string) {
    // A long name is cut in the middle, and stands whole in its title.
    const named = page.locator('header code').filter({ hasText: new RegExp(`^${tool}$`) }).or(page.locator(`header code[title=${JSON.stringify(tool)}]`))
    this.box = page.getByRole('alertdialog', { name: ' wants to ' }).filter({ has: named })
    this.approve = this.box.getByRole('button', { name: 'Approve', exact: true })
    this.decline = this.box.getByRole('button', { name: 'Decline' })
    this.reason = this.box.getByRole('textbox', { name: 'Reason for declining' })
    this.input = this.box.getByLabel('Input of the call')
    this.undo = this.box.getByRole('button', { name: 'Undo' })
  }

  async shown(): Promise<this> {
    await this.box.waitFor()
    return this
  }

  async gone(): Promise<void> {
    await this.box.waitFor({ state: 'detached' })
  }

  button(name: string): Locator {
    return this.box.getByRole('button', { name })
  }

  async armed(button = this.approve): Promise<void> {
    await until('the button to be ready', async () => (await button.getAttribute('aria-disabled')) !== 'true')
  }

  async pressApprove(): Promise<void> {
    await this.armed()
    await this.approve.click()
  }

  async pressDecline(reason = ''): Promise<void> {
    if (reason !== '') await this.reason.fill(reason)
    await this.decline.click()
  }

  /** What it says once what belongs to the call is there: before, it does not say all of it. */
  async text(): Promise<string> {
    await this.box.locator('[data-ready="true"]').waitFor()
    return this.box.innerText()
  }
}

/** What the page says in passing about a call that was settled. */
export function notices(page: Page): Promise<string> {
  return page.getByRole('status').or(page.getByRole('alert')).allInnerTexts().then((texts) => texts.join('\n'))
}

/** Holds the page's answers back until release, so that something else can come first. */
export async function holdAnswers(page: Page): Promise<{ caught: Promise<void>; release: () => void }> {
  const [caught, released] = [gate(), gate()]
  await page.route('**/v1/calls/*/decision', async (route) => {
    caught.open()
    await released.opened
    await route.continue()
  })
  return { caught: caught.opened, release: released.open }
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined
  const opened = new Promise<void>((done) => (open = done))
  return { opened, open }
}

import type { Locator, Page } from 'playwright-core'
import { screenLink } from './browser'

/** The screen of the rules. */
export class RulesScreen {
  readonly #page: Page
  readonly rows: Locator

  constructor(page: Page) {
    this.#page = page
    this.rows = page.getByRole('list', { name: 'Rules in the order of judgement' }).locator('> li') // not those inside of a row
  }

  async open(): Promise<this> {
    await screenLink(this.#page, 'Rules').click()
    await this.rows.first().waitFor()
    return this
  }

  /** The row that has these words. */
  row(words: string | RegExp): Locator {
    return this.rows.filter({ hasText: words })
  }

  /** What moves the rule with these words. */
  handle(words: string | RegExp): Locator {
    return this.row(words).getByRole('button', { name: /^Move rule/ })
  }

  form(name: 'New rule' | 'Edit the rule'): Locator {
    return this.#page.getByRole('form', { name })
  }

  async startNew(): Promise<Locator> {
    await this.#page.getByRole('button', { name: 'Add a rule' }).click()
    return this.form('New rule')
  }

  async startEdit(words: string | RegExp): Promise<Locator> {
    await this.row(words).getByRole('button', { name: /^Edit/ }).click()
    return this.form('Edit the rule')
  }

  /** Opens what stands beside the list. */
  async openPanel(button: RegExp, title: string): Promise<Locator> {
    await this.#page.getByRole('button', { name: button }).click()
    return this.#page.getByRole('region', { name: title })
  }

  async texts(): Promise<string[]> {
    return (await this.rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
  }

  /** The tools of the rules, in the order of judgement. */
  async order(): Promise<string[]> {
    return (await this.texts()).flatMap((text) => /Tool (\S+)/.exec(text)?.[1] ?? [])
  }
}

/** Writes into a rule's form; fields are named by their labels. */
export async function fill(form: Locator, fields: Record<string, string>, effect?: 'Allow' | 'Ask' | 'Deny'): Promise<void> {
  const advanced = form.locator('details:not([open]) > summary', { hasText: 'Advanced' })
  if ('Only if' in fields && (await advanced.count()) > 0) await advanced.click() // where CEL is written
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value)
  if (effect) await form.getByRole('radio', { name: effect }).check()
}

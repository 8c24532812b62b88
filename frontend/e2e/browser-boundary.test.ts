import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp } from './harness/fixtures'
import { ask, request } from './harness/operator'

const browser = aBrowser()

/** Makes exceptions while elements are drawn, which no screen foresees: those of a tag, or of an id. */
async function faulty(page: Page): Promise<void> {
  await page.evaluate(() => {
    const fail = (what: string) => {
      if (what === Reflect.get(window, 'broken')) throw new Error(`no ${what} can be drawn`)
    }
    const create = document.createElement.bind(document)
    document.createElement = ((tag: string, options?: ElementCreationOptions) => {
      fail(tag)
      return create(tag, options)
    }) as typeof document.createElement
    const { setAttribute } = Element.prototype
    Element.prototype.setAttribute = function (name: string, value: string) {
      if (name === 'id') fail(value)
      setAttribute.call(this, name, value)
    }
  })
}

/** What cannot be drawn from now on; empty: nothing. */
async function breaks(page: Page, what: string): Promise<void> {
  await page.evaluate((broken) => {
    Reflect.set(window, 'broken', broken)
  }, what)
}

/** What the page says of the errors that the test makes. */
const expected = /can be drawn|error boundary/i

test('neither a screen that cannot be drawn nor the navigation takes the dialog away: calls are answered all the same', async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk, { expected })
  const declines = async (tool: string) => {
    const { id } = await ask(desk.url, agentToken, tool)
    const dialog = await new ApprovalDialog(page, tool).shown()
    await dialog.pressDecline()
    await dialog.gone()
    expect((await desk.call(id)).status).toBe('declined')
  }
  await page.getByRole('heading', { level: 1 }).waitFor()
  await faulty(page)
  await breaks(page, 'screen-title')
  await screenLink(page, 'Rules').click()
  await page.getByText('This screen could not be drawn').waitFor()
  await declines('launch')
  expect(await page.getByRole('checkbox', { name: 'Hold everything' }).isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('This screen could not be drawn').waitFor()
  await breaks(page, '')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()

  await breaks(page, 'strong') // the word that everything is held
  await request(desk.url, desk.token, 'POST', '/v1/hold', { on: true })
  await page.getByRole('heading', { name: 'This page has stopped' }).waitFor()
  await breaks(page, '')
  await declines('land')
})

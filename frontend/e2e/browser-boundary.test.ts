import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { setUp } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { until } from './harness/wait'

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

/** Those of another kind than each other; that each screen has its boundary is tested in src/app. */
const screens = ['Rules', 'Waiting']

test.each(screens)('%s cannot be drawn: it says so, and a call is answered all the same; then it is tried again', async (name) => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk, { expected })
  await screenLink(page, name === 'Waiting' ? 'Rules' : 'Waiting').click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await faulty(page)
  await breaks(page, 'screen-title')
  await screenLink(page, name).click()
  await page.getByText('This screen could not be drawn').waitFor()
  const { id } = await ask(desk.url, agentToken, 'launch')
  const dialog = await new ApprovalDialog(page, 'launch').shown()
  await dialog.pressDecline()
  await dialog.gone()
  expect((await desk.call(id)).status).toBe('declined')
  expect(await page.getByRole('checkbox', { name: 'Hold everything' }).isVisible()).toBe(true)

  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('This screen could not be drawn').waitFor()
  await breaks(page, '')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
})

test('neither does a failure of the navigation take the dialog away', async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk, { expected })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await faulty(page)
  await breaks(page, 'strong') // the word that everything is held
  await request(desk.url, desk.token, 'POST', '/v1/hold', { on: true })
  await until('the failure', async () => (await page.getByRole('heading', { name: 'This page has stopped' }).count()) > 0)
  await breaks(page, '')
  const { id } = await ask(desk.url, agentToken, 'launch')
  const dialog = await new ApprovalDialog(page, 'launch').shown()
  await dialog.pressDecline()
  await dialog.gone()
  expect((await desk.call(id)).status).toBe('declined')
})

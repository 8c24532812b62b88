import { expect, test } from 'vitest'
import { choose } from './harness/choose'
import { aBrowser, openDeskPage, openPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

test('a call of yesterday has its day, on a page that was left open over midnight', async () => {
  const { desk, agentToken } = await setUp([{ effect: 'deny' }])
  await ask(desk.url, agentToken, 'launch')
  const page = await openDeskPage(browser(), desk)
  await page.clock.install()
  await screenLink(page, 'Activity').click()
  const time = page.getByRole('treegrid', { name: 'Calls, newest first' }).getByRole('time').last()
  await time.waitFor()
  expect(await time.innerText()).not.toMatch(/\d{4}/)
  await page.clock.fastForward('24:00:30')
  await until('the day', async () => /\d{4}/.test(await time.innerText()))
})

test('an address whose code is none leads to the sign-in, not to a blank page', async () => {
  const { desk } = await setUp()
  const page = await openPage(browser(), `${desk.url}/#login=%E0%A4%A`, { expected: /401/ })
  await page.getByText('This sign-in address was used before, or it is not complete.').waitFor()
})

test('a page keeps its language to itself, and readers of simplified Chinese are not shown traditional', async () => {
  const { desk } = await setUp()
  const language = async () => (await request(desk.url, desk.token, 'GET', '/v1/settings')).body.language
  const one = await openDeskPage(browser(), desk)
  await screenLink(one, 'Settings').click()
  await choose(one.getByRole('combobox', { name: 'Language' }), '日本語')
  await one.getByRole('heading', { level: 1, name: '設定' }).waitFor()
  const simplified = await openDeskPage(browser(), desk, { locale: 'zh-CN' })
  await screenLink(simplified, 'Settings').waitFor()
  const traditional = await openDeskPage(browser(), desk, { locale: 'zh-HK' })
  await traditional.getByRole('link', { name: '設定' }).waitFor()
  expect(await traditional.evaluate(() => document.documentElement.lang)).toBe('zh-TW')
  expect(await language()).toBe('')
})

test('a number that Enter keeps is sent once, though the field is left right after', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Settings').click()
  const undo = page.getByLabel('Seconds to undo an approval')
  await undo.waitFor()
  const sent: unknown[] = []
  await page.route('**/v1/settings', async (route) => {
    if (route.request().method() === 'PATCH') {
      sent.push(route.request().postDataJSON())
      await new Promise((done) => setTimeout(done, 800))
    }
    await route.continue()
  })
  await undo.fill('7')
  await undo.press('Enter')
  await undo.press('Tab')
  await page.getByText('Saved').waitFor()
  await until('the desk to have it', async () => (await request(desk.url, desk.token, 'GET', '/v1/settings')).body.undoSeconds === 7)
  expect(sent).toEqual([{ undoSeconds: 7 }])
})

test('with reduced motion what is written to an element is so at once, since lists measure where they put their rows', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk, { reducedMotion: 'reduce' })
  await screenLink(page, 'Activity').waitFor()
  const moved = await page.evaluate(() => {
    const row = document.createElement('div')
    document.body.append(row)
    const before = row.getBoundingClientRect().top
    row.style.marginBlockStart = '50px'
    return row.getBoundingClientRect().top - before
  })
  expect(moved).toBe(50)
})

test('the menu of a small window closes however soon after it a link is taken', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk, { viewport: { width: 560, height: 420 } })
  const menu = page.locator('button[popovertarget]')
  await menu.waitFor()
  // In one task: what the browser tells of an opened popover comes after it.
  const open = await page.evaluate(() => {
    document.querySelector<HTMLElement>('button[popovertarget]')?.click()
    document.querySelector<HTMLElement>('nav a[href="#/rules"]')?.click()
    return document.querySelectorAll('[popover]:popover-open').length
  })
  expect(open).toBe(0)
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
})

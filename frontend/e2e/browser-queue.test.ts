import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, stopClock } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faces, faults } from './harness/faults'
import { setUp, type Setting } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** Asks for several calls, one after the other. */
async function askMany({ desk, agentToken }: Setting, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await ask(desk.url, agentToken, `tool_${String(n)}`, { input: { n } })
}

/** As many at once as a program gone wild makes. */
function flood(url: string, token: string, count: number): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, n) => ask(url, token, n % 4 === 0 ? 'delete' : 'write', { input: { n } })))
}

const drawerOf = (page: Page): Locator => page.getByRole('alertdialog').getByRole('region', { name: 'What waits' })
const statuses = async ({ desk }: Setting) => (await desk.calls()).map(({ status }) => status)

/** Puts the focus on an element by Tab alone. */
async function tabTo(page: Page, what: Locator): Promise<void> {
  for (let n = 0; n < 60; n++) {
    if (await what.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not get there')
}

test('the drawer shows by the keyboard alone what is chosen, inert as any new call', async () => {
  const setting = await setUp()
  await askMany(setting, 3)
  const page = await openDeskPage(browser(), setting.desk)
  const first = await new ApprovalDialog(page, 'tool_0').shown()
  expect(await first.text()).toContain('1 of 3')
  await first.armed()

  await tabTo(page, first.box.getByRole('button', { name: 'All' }))
  await page.keyboard.press('Enter')
  const drawer = drawerOf(page)
  await drawer.waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await first.shown()

  await page.keyboard.press('Enter')
  await tabTo(page, drawer.locator('[role="row"][tabindex="0"]'))
  for (let n = 0; n < 2; n++) await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const chosen = await new ApprovalDialog(page, 'tool_2').shown()
  await page.keyboard.press('Control+Enter')
  expect(await chosen.text()).toContain('3 of 3')
  await pause(300)
  expect(await statuses(setting)).toEqual(['pending', 'pending', 'pending'])
})

test('a call that is settled elsewhere leaves no button where a click meant for it could do harm (DLG-124)', async () => {
  const setting = await setUp()
  await askMany(setting, 2)
  const page = await openDeskPage(browser(), setting.desk)
  const first = await new ApprovalDialog(page, 'tool_0').shown()
  await first.armed()
  const [decline, approve] = await Promise.all([first.decline, first.approve].map((button) => button.boundingBox()))
  const click = async (place: typeof decline) => {
    if (!place) throw new Error('the button is nowhere')
    await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2)
  }
  const [call] = await setting.desk.pending(2)
  await stopClock(page)
  if (call) await setting.desk.decide(call, false, 'elsewhere')
  await first.gone()
  const card = page.getByRole('alertdialog', { name: 'tool_0 was settled elsewhere' })
  await card.waitFor()
  await click(decline)
  await click(approve)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('Escape')
  expect(await card.getByRole('button').count()).toBe(0)
  await until('how it was settled', async () => (await page.getByRole('alertdialog').innerText()).includes('Declined'))
  const second = new ApprovalDialog(page, 'tool_1')
  await until('the next call', () => page.clock.runFor(100).then(() => second.box.isVisible()))
  expect(await second.approve.getAttribute('aria-disabled')).toBe('true')
  await click(approve)
  await page.clock.resume()
  await second.armed()
  await pause(4_000)
  expect(await statuses(setting)).toEqual(['declined', 'pending'])
})

test.each(faces)('in $locale, $colorScheme drawer, bar, flood and doubt have no fault that a machine finds', async (face) => {
  const setting = await setUp()
  const { desk, agentToken } = setting
  const small = { bypassCSP: true, reducedMotion: 'reduce', viewport: { width: 560, height: 420 } } as const
  const page = await openDeskPage(browser(), desk, { ...face, ...small })
  const found: string[] = []
  const check = async (where: string) => {
    await pause(250)
    const sideways = await page.evaluate(() => (document.documentElement.scrollWidth > window.innerWidth ? ['scrolls sideways'] : []))
    found.push(...[...(await faults(page)), ...sideways].map((fault) => `${where}: ${fault}`))
  }
  await askMany(setting, 3)
  const box = page.getByRole('alertdialog')
  await box.locator('[aria-expanded=false][aria-controls]').first().click()
  await box.locator('section button[aria-expanded]').first().click()
  await check('the drawer')
  // from the inside out: the question, the drawer, the dialog
  for (let n = 0; n < 3; n++) await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  await check('what is put off')
  await flood(desk.url, agentToken, 25)
  const answers = box.locator('footer').getByRole('button')
  await until('the card', async () => (await answers.count()) === 4)
  await until('its buttons', () => answers.nth(2).isEnabled())
  await answers.nth(2).click()
  await check('the flood')
  await request(desk.url, desk.token, 'POST', '/v1/sessions/e2e/end', {})
  const { id } = await ask(desk.url, agentToken, 'launch', { toolCallId: 'doubt', runId: 'doubt' })
  await box.waitFor()
  await desk.decide(await desk.call(id), true)
  const { inputHash } = await desk.call(id)
  await request(desk.url, agentToken, 'POST', `/v1/calls/${id}/claim`, { inputHash, claimant: 'e2e', claimKey: 'k', leaseSeconds: 1 })
  await until('the doubt', async () => (await desk.call(id)).status === 'in_doubt')
  await until('its card', async () => (await box.count()) === 1 && (await box.locator('button[aria-expanded=false]').count()) === 1)
  await box.locator('button[aria-expanded=false]').click()
  await check('the doubt')
  expect(found).toEqual([])
})

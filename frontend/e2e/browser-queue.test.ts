import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink, stopClock } from './harness/browser'
import { ApprovalDialog, notices } from './harness/dialog'
import { faces, faults } from './harness/faults'
import { setUp, type Setting } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** Asks for several calls, one after the other; at says what is special about each. */
async function askMany({ desk, agentToken }: Setting, count: number, at: (n: number) => Record<string, unknown> = () => ({})): Promise<void> {
  for (let n = 0; n < count; n++) await ask(desk.url, agentToken, `tool_${String(n)}`, { input: { n }, ...at(n) })
}

/** As many at once as a program gone wild makes. */
async function flood(setting: Setting, count: number): Promise<void> {
  for (let n = 0; n < count; n += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - n) }, (_, i) => ask(setting.desk.url, setting.agentToken, (n + i) % 4 === 0 ? 'delete' : 'write', { input: { n: n + i } })))
  }
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

describe('the drawer', () => {
  test('lists what waits by agent and session, and shows by the keyboard alone what is chosen, inert as any new call', async () => {
    const setting = await setUp()
    const other = await setting.desk.createAgent('nightly')
    await askMany(setting, 3, (n) => ({ sessionId: n < 2 ? 'spring' : 'autumn' }))
    await ask(setting.desk.url, other, 'sweep', { timeoutSeconds: 272 })
    const page = await openDeskPage(browser(), setting.desk)
    const first = await new ApprovalDialog(page, 'tool_0').shown()
    expect(await first.text()).toContain('1 of 4')
    await first.armed()

    await tabTo(page, first.box.getByRole('button', { name: 'All' }))
    await page.keyboard.press('Enter')
    const drawer = drawerOf(page)
    const heads = (await drawer.locator('[aria-level="1"]').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(heads).toEqual([expect.stringContaining('scribe Session spring · 2 calls'), expect.stringContaining('scribe Session autumn · 1 call'), expect.stringContaining('nightly Session e2e · 1 call')])
    expect(await drawer.getByRole('row', { name: /sweep/ }).innerText()).toMatch(/rockets[\s\S]*Medium risk[\s\S]*4:[23]\d/)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await first.shown()

    await page.keyboard.press('Enter')
    await tabTo(page, drawer.locator('[role="row"][tabindex="0"]'))
    for (let n = 0; n < 2; n++) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const chosen = await new ApprovalDialog(page, 'tool_2').shown()
    await page.keyboard.press('Control+Enter')
    expect(await chosen.text()).toContain('3 of 4')
    await pause(300)
    expect(await statuses(setting)).toEqual(['pending', 'pending', 'pending', 'pending'])
  })

  test('declines all of a session once asked, with the reason, and counts what was settled before', async () => {
    const setting = await setUp()
    await askMany(setting, 6, (n) => ({ sessionId: n < 4 ? 'spring' : 'autumn' }))
    const page = await openDeskPage(browser(), setting.desk, { expected: /409/ })
    await new ApprovalDialog(page, 'tool_0').shown()
    await page.getByRole('button', { name: 'All' }).click()
    await drawerOf(page).getByRole('button', { name: 'Decline all of this session' }).first().click()
    const question = drawerOf(page).getByRole('group', { name: 'Decline all 4 calls?' })
    await question.getByRole('textbox', { name: 'Reason for declining' }).fill('not in spring')
    const [, second] = await setting.desk.pending(6)
    await page.route(`**/v1/calls/${second?.id ?? ''}/decision`, async (route) => {
      if (second) await setting.desk.decide(second, true)
      await route.continue()
    })
    await question.getByRole('button', { name: 'Decline 4' }).click()
    await new ApprovalDialog(page, 'tool_4').shown()
    await until('what came of it', async () => (await notices(page)).includes('3 declined, 1 was settled before'))
    expect((await setting.desk.calls()).map(({ status, decision }) => `${status} ${decision?.reason ?? ''}`)).toEqual([
      'declined not in spring', 'approved ', 'declined not in spring', 'declined not in spring', 'pending ', 'pending ',
    ])
  })
})

describe('a call that is settled elsewhere', () => {
  test('leaves no button where a click meant for it could do harm', async () => {
    const setting = await setUp()
    await askMany(setting, 2)
    const page = await openDeskPage(browser(), setting.desk)
    const first = await new ApprovalDialog(page, 'tool_0').shown()
    const place = await first.decline.boundingBox()
    if (!place) throw new Error('Decline is nowhere')
    const [call] = await setting.desk.pending(2)
    await stopClock(page)
    if (call) await setting.desk.decide(call, false, 'elsewhere')
    await first.gone()
    const card = page.getByRole('alertdialog', { name: 'tool_0 was settled elsewhere' })
    await card.waitFor()
    await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Escape')
    expect(await card.getByRole('button').count()).toBe(0)
    await until('how it was settled', async () => (await page.getByRole('alertdialog').innerText()).includes('Declined'))
    const second = new ApprovalDialog(page, 'tool_1')
    await until('the next call', () => page.clock.runFor(100).then(() => second.box.isVisible()))
    expect(await second.approve.getAttribute('aria-disabled')).toBe('true')
    await pause(200)
    expect(await statuses(setting)).toEqual(['declined', 'pending'])
  })
})

describe('calls with the same input', () => {
  const byMe = async ({ desk }: Setting) => (await desk.calls()).map(({ toolName, status, decision }) => `${toolName} ${status} ${decision?.by ?? ''}`)

  test('are approved with one press, and only they', async () => {
    const setting = await setUp()
    const { desk, agentToken } = setting
    for (const [toolName, more] of [['feed', { input: { n: 1 } }], ['feed', { input: { n: 1 } }], ['feed', { input: { n: 2 } }], ['feed', { input: { n: 1 }, cwd: '/else' }], ['starve', { input: { n: 1 } }], ['feed', { input: { n: 1 } }]] as const) {
      await ask(desk.url, agentToken, toolName, more)
    }
    const page = await openDeskPage(browser(), desk)
    const dialog = await new ApprovalDialog(page, 'feed').shown()
    await dialog.box.getByRole('checkbox', { name: /same input/ }).check()
    await dialog.pressApprove()
    await until('all three', async () => (await byMe(setting)).filter((call) => call === 'feed approved person').length === 3)
    await until('what came of it', async () => (await notices(page)).includes('3 approved'))
    expect(await byMe(setting)).toEqual(['feed approved person', 'feed approved person', 'feed pending ', 'feed pending ', 'starve pending ', 'feed approved person'])
  })
})

describe('a flood', () => {
  test('is one card that the keyboard pauses and resumes, and nothing of it is approved', async () => {
    const setting = await setUp()
    const page = await openDeskPage(browser(), setting.desk)
    await screenLink(page, 'Rules').waitFor()
    await flood(setting, 30)
    const card = page.getByRole('alertdialog', { name: 'scribe has 30 calls waiting' })
    await card.waitFor()
    expect(await card.getByRole('treegrid', { name: 'The tools they are for' }).getByRole('row').first().innerText()).toMatch(/write[\s\S]*rockets[\s\S]*× 22/)
    await until('the buttons', () => card.getByRole('button', { name: 'Pause' }).isEnabled())
    await tabTo(page, card.getByRole('button', { name: 'Pause' }))
    await page.keyboard.press('Space')
    await card.waitFor({ state: 'detached' })
    const bar = page.getByRole('region', { name: 'What waits' })
    await bar.getByText('scribe is paused: 30 calls wait').waitFor()
    await ask(setting.desk.url, setting.agentToken, 'one more')
    await bar.getByText('scribe is paused: 31 calls wait').waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(0)

    await tabTo(page, bar.getByRole('button', { name: 'Resume scribe' }))
    await page.keyboard.press('Enter')
    const again = page.getByRole('alertdialog', { name: 'scribe has 31 calls waiting' })
    await tabTo(page, again.getByRole('button', { name: 'Review one by one' }))
    await page.keyboard.press('Enter')
    const first = page.getByRole('alertdialog', { name: /wants to/ })
    await first.waitFor()
    expect(await first.innerText()).toContain('1 of 31')
    expect(new Set(await statuses(setting))).toEqual(new Set(['pending']))
  })

  test('of more calls than the page is told is declined as a whole, each by a person', async () => {
    const setting = await setUp()
    await flood(setting, 214)
    const page = await openDeskPage(browser(), setting.desk)
    const card = page.getByRole('alertdialog', { name: 'scribe has 200+ calls waiting' })
    await card.getByRole('button', { name: 'Decline all of them' }).click()
    await card.getByRole('textbox', { name: 'Reason for declining' }).fill('all at once is too much')
    await card.getByRole('button', { name: 'Decline all', exact: true }).click()
    await until('what came of it', async () => (await notices(page)).includes('214 declined'))
    const left = await request(setting.desk.url, setting.desk.token, 'GET', '/v1/calls?status=pending')
    expect(left.body.calls).toEqual([])
    const [one] = await setting.desk.calls('declined')
    expect(one?.decision).toMatchObject({ by: 'person', approved: false, reason: 'all at once is too much' })
    await page.getByText('Nothing is waiting').waitFor()
  })
})

describe('do not disturb', () => {
  test('opens no dialog, says what waits, is switched in either place, and approves nothing', async () => {
    const setting = await setUp()
    const { desk, agentToken } = setting
    const page = await openDeskPage(browser(), desk)
    const inFoot = page.getByRole('checkbox', { name: 'Do not disturb: no dialog opens by itself' })
    await inFoot.check()
    await until('the desk to have it', async () => ((await request(desk.url, desk.token, 'GET', '/v1/settings')).body.window as { quiet: boolean }).quiet)
    await ask(desk.url, agentToken, 'one')
    await page.getByText('Do not disturb: 1 call waits').waitFor()
    await page.reload()
    await page.getByText('Do not disturb: 1 call waits').waitFor()
    await pause(300)
    expect(await page.getByRole('alertdialog').count()).toBe(0)

    await page.getByRole('button', { name: 'Review', exact: true }).click()
    const one = await new ApprovalDialog(page, 'one').shown()
    await one.pressDecline()
    await one.gone()
    await ask(desk.url, agentToken, 'two')
    await page.getByText('Do not disturb: 1 call waits').waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    await page.getByRole('region', { name: 'What waits' }).getByRole('checkbox', { name: 'Do not disturb' }).click() // it leaves with the bar: no look back
    await new ApprovalDialog(page, 'two').shown()
    expect(await statuses(setting)).toEqual(['declined', 'pending'])
  })
})

describe('the clock of the desk', () => {
  test('counts, whatever this machine’s clock says', async () => {
    const { desk, agentToken } = await setUp()
    const page = await openDeskPage(browser(), desk)
    await screenLink(page, 'Rules').waitFor()
    await page.addInitScript(() => {
      const true_ = Date.now.bind(Date)
      Date.now = () => true_() + 3_600_000
    })
    await page.reload()
    await ask(desk.url, agentToken, 'launch', { timeoutSeconds: 120 })
    const dialog = await new ApprovalDialog(page, 'launch').shown()
    await until('the time left', async () => /\b(2:00|1:5\d)\b/.test(await dialog.text()))
    await dialog.armed()
  })
})

describe('without faults that a machine can find', () => {
  test.each(faces)('in $locale, $colorScheme: drawer, flood, doubt, what is put off', async ({ locale, colorScheme }) => {
    const setting = await setUp()
    const { desk, agentToken } = setting
    const page = await openDeskPage(browser(), desk, { locale, colorScheme, bypassCSP: true, reducedMotion: 'reduce', viewport: { width: 560, height: 420 } })
    const found: string[] = []
    const check = async (where: string) => {
      await pause(250)
      found.push(...(await faults(page)).map((fault) => `${where}: ${fault}`), ...(await page.evaluate(() => (document.documentElement.scrollWidth > window.innerWidth ? ['scrolls sideways'] : []))))
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
    await flood(setting, 25)
    const answers = box.locator('footer').getByRole('button')
    await until('the card', async () => (await answers.count()) === 4)
    await until('its buttons', () => answers.nth(2).isEnabled())
    await answers.nth(2).click()
    await check('the flood')
    await request(desk.url, desk.token, 'POST', '/v1/sessions/e2e/end', {})
    const { id } = await ask(desk.url, agentToken, 'launch', { toolCallId: 'doubt', runId: 'doubt' })
    await box.waitFor()
    await desk.decide(await desk.call(id), true)
    await request(desk.url, agentToken, 'POST', `/v1/calls/${id}/claim`, { inputHash: (await desk.call(id)).inputHash, claimant: 'e2e', claimKey: 'k', leaseSeconds: 1 })
    await until('the doubt', async () => (await desk.call(id)).status === 'in_doubt')
    await until('its card', async () => (await box.count()) === 1 && (await box.locator('button[aria-expanded=false]').count()) === 1)
    await box.locator('button[aria-expanded=false]').click()
    await check('the doubt')
    expect(found).toEqual([])
  })
})

import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Agent } from './harness/agent'
import { aBrowser, openDeskPage, screenLink, stopClock } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { fickleServer } from './harness/fickle-server'
import { setUp } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** A desk without undo, its page, and a call in the dialog. */
async function opened(tool = 'launch', more: Record<string, unknown> = {}, first: (page: Page) => Promise<void> = () => Promise.resolve()) {
  const { desk, agentToken } = await setUp()
  await desk.changeSettings({ undoSeconds: 0 })
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  const reports = attention(page)
  await first(page)
  const call = await ask(desk.url, agentToken, tool, more)
  const dialog = await new ApprovalDialog(page, tool).shown()
  return { desk, agentToken, page, reports, call, dialog }
}

/** What the page tells the desk of what is in view. */
function attention(page: Page): { callId: string | null; rev: number }[] {
  const reports: { callId: string | null; rev: number }[] = []
  page.on('request', (sent) => {
    if (sent.url().endsWith('/v1/attention')) reports.push(sent.postDataJSON() as { callId: string | null; rev: number })
  })
  return reports
}

const lookAway = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('blur')))
const lookBack = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('focus')))
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

describe('before Approve is ready', () => {
  test.each([
    ['launch', 700],
    ['delete_everything', 1500],
  ])('no key and no press decides anything: %s, %i ms', async (tool, ms) => {
    const { desk, page, call, dialog } = await opened(tool, {}, stopClock)
    const came = performance.now()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    await page.keyboard.press('Control+Enter')
    await dialog.approve.click({ force: true, noWaitAfter: true })
    await page.clock.resume()
    await dialog.armed()
    expect(performance.now() - came).toBeGreaterThan(ms - 150)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await page.keyboard.press('Control+Enter')
    await dialog.gone()
    expect(await desk.call(call.id)).toMatchObject({ decision: { by: 'person', approved: true } })
  })

  test('the desk itself refuses what its page sends too early', async () => {
    const { desk, page, call, dialog } = await opened()
    const { inputHash, rev } = await desk.firstPending()
    const answer = await page.evaluate(
      async ([id, hash, seen]) => {
        const [token] = Object.values(sessionStorage).filter((kept) => String(kept).length > 20)
        const sent = await fetch(`/v1/calls/${String(id)}/decision`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${String(token).replaceAll('"', '')}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ approved: true, inputHash: hash, rev: seen }),
        })
        return { status: sent.status, body: (await sent.json()) as { code: string } }
      },
      [call.id, inputHash, rev] as const,
    )
    expect(answer).toMatchObject({ status: 409, body: { code: 'not_armed' } })
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await dialog.pressApprove()
    await dialog.gone()
  })

  test('a press that began too early is none', async () => {
    const { desk, page, call, dialog } = await opened('delete_everything', {}, stopClock)
    const box = await dialog.approve.boundingBox()
    if (!box) throw new Error('Approve is not in view')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.clock.resume()
    await dialog.armed()
    await page.mouse.up()
    await pause(300)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
  })
})

describe('the time starts over', () => {
  test('when the person looks away, and the desk is told', async () => {
    const { page, reports, call, dialog } = await opened()
    await dialog.armed()
    await stopClock(page)
    await lookAway(page)
    await page.clock.runFor(1_000)
    expect(await dialog.approve.getAttribute('aria-disabled')).toBe('true')
    await lookBack(page)
    expect(await dialog.approve.getAttribute('aria-disabled')).toBe('true')
    await page.clock.resume()
    await dialog.armed()
    expect(reports.map(({ callId }) => callId)).toEqual([call.id, null, call.id])
    await dialog.pressApprove()
    await dialog.gone()
  })

  test('when the tool changes while its call is in view, and the yes is for what is shown then', async () => {
    const { desk, agentToken } = await setUp()
    await desk.changeSettings({ undoSeconds: 0 })
    const server = await fickleServer('Fetches a page.')
    await desk.putServers([{ id: 'far', transport: 'http', url: server.url, enabled: true }])
    const agent = await new Agent(desk.url, agentToken, 'far').connect()
    onTestFinished(() => agent.close().catch(() => undefined))
    await agent.tools()
    const page = await openDeskPage(browser(), desk, { expected: /409/ })
    const reports = attention(page)
    const flight = agent.call('fetch', {})
    const dialog = await new ApprovalDialog(page, 'fetch').shown()
    await dialog.armed()
    server.says = 'Fetches a page, and sends it away.'
    await agent.tools()
    await until('the difference', async () => (await dialog.text()).includes('and sends it away'))
    await until('another report', () => reports.filter(({ callId }) => callId !== null).length === 2)
    const revs = reports.flatMap(({ callId, rev }) => (callId === null ? [] : [rev]))
    expect(revs[1]).toBeGreaterThan(revs[0] ?? Infinity)
    expect(server.ran).toBe(0)
    await dialog.pressApprove()
    await dialog.gone()
    await flight.outcome
    expect(server.ran).toBe(1)
  })

  test('not when only more time is given: what is shown is the same', async () => {
    const { desk, reports, call, dialog } = await opened('launch', { timeoutSeconds: 60 })
    await dialog.armed()
    await dialog.button('5 more minutes').click()
    await until('another time', async () => /Expires in [56]:/.test(await dialog.text()))
    expect(await dialog.approve.getAttribute('aria-disabled')).toBe('false')
    expect(reports.map(({ callId }) => callId)).toEqual([call.id])
    await dialog.pressApprove()
    await dialog.gone()
    expect(await desk.call(call.id)).toMatchObject({ decision: { approved: true } })
  })

  test('for the next call of the queue', async () => {
    const { desk, agentToken, page, call, dialog } = await opened()
    const next = await ask(desk.url, agentToken, 'land')
    await dialog.pressApprove()
    const second = await new ApprovalDialog(page, 'land').shown()
    expect(await second.approve.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Control+Enter')
    await second.armed()
    expect(await desk.call(next.id)).toMatchObject({ status: 'pending' })
    expect(await desk.call(call.id)).toMatchObject({ decision: { approved: true } })
  })

  test('while the desk does not hear of it Approve stays inert, and says why', async () => {
    const { desk, agentToken } = await setUp()
    const page = await openDeskPage(browser(), desk, { expected: /Failed to load resource/ })
    let deaf = true
    await page.route('**/v1/attention', (route) => (deaf ? route.abort() : route.continue()))
    await ask(desk.url, agentToken, 'launch')
    const dialog = await new ApprovalDialog(page, 'launch').shown()
    await dialog.box.getByText('The desk has not heard yet').first().waitFor()
    await pause(1_500)
    expect(await dialog.approve.getAttribute('aria-disabled')).toBe('true')
    deaf = false
    await dialog.armed()
  })
})

describe('with the keyboard alone', () => {
  test('the focus goes in, stays in, comes back; Enter approves on Approve only', async () => {
    const { desk, page, call, dialog } = await opened()
    expect(await focused(page)).toContain('wants to run launch')
    await dialog.armed()
    await page.keyboard.press('Enter')
    const passed = new Set<string>()
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      // The browser's own frame may come in between, where no element of the page has the focus.
      expect(await dialog.box.evaluate((box) => box.contains(document.activeElement) || document.activeElement === document.body)).toBe(true)
      passed.add(await focused(page))
    }
    for (const name of ['Always…', '5 more minutes', 'Later', 'Decline', 'Approve']) expect([...passed]).toContain(name)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await dialog.approve.focus()
    await dialog.armed() // on the way through the browser's frame the page had lost the focus
    await page.keyboard.press('Enter')
    await dialog.gone()
    expect(await desk.call(call.id)).toMatchObject({ decision: { approved: true } })
  })

  test('Escape puts off and decides nothing, and the focus is where it was', async () => {
    const { desk, agentToken } = await setUp()
    const page = await openDeskPage(browser(), desk)
    const link = screenLink(page, 'Activity')
    await link.focus()
    const call = await ask(desk.url, agentToken, 'launch')
    const dialog = await new ApprovalDialog(page, 'launch').shown()
    await page.keyboard.press('Escape')
    await dialog.gone()
    expect(await focused(page)).toBe('Activity')
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
  })
})

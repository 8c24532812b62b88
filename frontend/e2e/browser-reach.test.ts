import { describe, expect, test } from 'vitest'
import { choose } from './harness/choose'
import { aBrowser, openDeskPage, screenLink, stopClock } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faults } from './harness/faults'
import { setUp } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

async function opened({ undoSeconds = 0, tool = 'launch', ...page }: { undoSeconds?: number; tool?: string; colorScheme?: 'light' | 'dark'; bypassCSP?: boolean; reducedMotion?: 'reduce' } = {}) {
  const { desk, agentToken } = await setUp([])
  await desk.changeSettings({ undoSeconds })
  const face = await openDeskPage(browser(), desk, { expected: /409/, ...page })
  const call = await ask(desk.url, agentToken, tool, { sessionId: 'night', input: { n: 1 } })
  const dialog = await new ApprovalDialog(face, tool).shown()
  return { desk, agentToken, page: face, call, dialog }
}

describe('an approval reaches', () => {
  test('one call, unless more is chosen', async () => {
    const { desk, agentToken, dialog } = await opened()
    await dialog.pressApprove()
    await dialog.gone()
    const next = await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 2 } })
    expect(await desk.call(next.id)).toMatchObject({ status: 'pending' })
  })

  test('its kind in the session, for as long as was chosen', async () => {
    const { desk, agentToken, page, dialog } = await opened()
    await dialog.box.getByRole('radio', { name: 'launch' }).check()
    await choose(dialog.box.getByLabel('For how long'), 'for 15 minutes')
    expect(await dialog.text()).toContain('Runs without asking until this ends: launch on rockets')
    await dialog.pressApprove()
    await dialog.gone()
    const like = await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 2 } })
    expect(await desk.call(like.id)).toMatchObject({ status: 'approved', decision: { by: 'grant' } })
    const other = await ask(desk.url, agentToken, 'launch', { sessionId: 'day', input: { n: 3 } })
    expect(await desk.call(other.id)).toMatchObject({ status: 'pending' })
    await dialog.shown()
    await page.keyboard.press('Escape')
    await dialog.gone()
    await screenLink(page, 'Grants').click()
    await until('the time', async () => /1[45]:\d\d left/.test(await page.getByRole('main').innerText()))
  })

  test('everything of the session after a second word, and never what is of high risk', async () => {
    const { desk, agentToken, page, dialog } = await opened()
    await dialog.box.getByRole('radio', { name: 'everything on rockets' }).check()
    await dialog.armed()
    await stopClock(page)
    await dialog.pressApprove()
    const second = dialog.button('Approve everything')
    expect(await second.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Control+Enter')
    await page.clock.resume()
    await dialog.armed(second)
    expect((await desk.firstPending()).status).toBe('pending')
    await second.click()
    await dialog.gone()
    const other = await ask(desk.url, agentToken, 'land', { sessionId: 'night' })
    expect(await desk.call(other.id)).toMatchObject({ status: 'approved', decision: { by: 'grant' } })
    const risky = await ask(desk.url, agentToken, 'delete_everything', { sessionId: 'night' })
    expect(await desk.call(risky.id)).toMatchObject({ status: 'pending', risk: 'high' })
    const dangerous = await new ApprovalDialog(page, 'delete_everything').shown()
    expect(await dangerous.box.getByRole('radio').count()).toBe(0)
    expect(await dangerous.text()).toContain('With high risk, approval covers this call only.')
  })
})

describe('always', () => {
  test('makes a rule that matches, says what it would have matched, and commits it before the call is released', async () => {
    const { desk, agentToken, dialog } = await opened()
    await dialog.button('Always…').click()
    const offered = dialog.box.getByRole('radio')
    await offered.first().waitFor()
    await until('what it would have matched', async () => (await dialog.text()).includes('No past call would have matched.'))
    const save = dialog.button('Save the rule and approve')
    await dialog.armed(save)
    await dialog.box.getByLabel('Note').fill('fine on weekdays')
    await save.click()
    await dialog.gone()
    const kinds = await desk.journalKinds()
    expect(kinds.indexOf('rules.changed')).toBeGreaterThan(-1)
    expect(kinds.lastIndexOf('call.decided')).toBeGreaterThan(kinds.lastIndexOf('rules.changed'))
    const rules = await desk.rules()
    expect(rules).toMatchObject([{ effect: 'allow', note: 'fine on weekdays' }])
    // The very same call never asks again, whatever the rule says beside the tool.
    const again = await ask(desk.url, agentToken, 'launch', { sessionId: 'day', input: { n: 1 } })
    expect(await desk.call(again.id)).toMatchObject({ status: 'approved', decision: { by: 'rule' } })
  })

  test('offers commands from narrow to wide in words, each with how like calls were answered', async () => {
    const { desk, agentToken, page, dialog, call } = await opened()
    const line = { cwd: '/srv/app', sessionId: 'day' }
    const run = (command: string) => ask(desk.url, agentToken, 'run', { ...line, input: { command } })
    const answer = async ({ id }: { id: string }, yes: boolean) => desk.decide(await desk.call(id), yes)
    await answer(await run('git add .'), true)
    await answer(await run('git add x && git commit -m y'), false)
    await answer(call, true)
    await dialog.gone()
    await run('git add y')
    const asked = await new ApprovalDialog(page, 'run').shown()
    await asked.button('Always…').click()
    const narrow = asked.box.getByRole('radio', { name: /git add by run on rockets.*in.*\/srv\/app/ })
    await narrow.waitFor()
    // The commands of the same work stand beside; one of them was declined, so that they do not come first.
    await asked.box.getByRole('radio', { name: /git add, git init, git commit, git switch, git fetch, git pull by run on rockets/ }).waitFor()
    expect(await asked.box.getByRole('radio').count()).toBe(3)
    expect(await narrow.isChecked()).toBe(true)
    expect(await asked.text()).toContain('past calls: 1 · approved: 1 · highest: Medium risk')
    await asked.box.getByText('What the rule says').first().click()
    expect(await asked.text()).toContain('Only if the risk is not high')
    await asked.armed(asked.button('Save the rule and approve'))
    await asked.button('Save the rule and approve').click()
    await asked.gone()
    expect(await desk.call((await run('git add z; git add .')).id)).toMatchObject({ status: 'approved', decision: { by: 'rule' } })
    expect(await desk.call((await run('git add z && git push')).id)).toMatchObject({ status: 'pending', risk: 'high' })
  })

  test('offers only what matches the call: each candidate would have allowed it', async () => {
    const { desk, agentToken, dialog } = await opened()
    await dialog.button('Always…').click()
    const offered = dialog.box.getByRole('radio')
    await offered.first().waitFor()
    const count = await offered.count()
    await offered.nth(count - 1).check() // the widest
    await dialog.armed(dialog.button('Save the rule and approve'))
    await dialog.button('Save the rule and approve').click()
    await dialog.gone()
    const [rule] = await desk.rules()
    expect(rule).toMatchObject({ serverId: 'rockets', effect: 'allow' })
    const like = await ask(desk.url, agentToken, 'launch', { sessionId: 'day', input: { n: 9 } })
    expect(await desk.call(like.id)).toMatchObject({ status: 'approved' })
  })

  test('approves nothing when the rule is refused, and says so', async () => {
    const { desk, page, call, dialog } = await opened()
    await page.route('**/v1/rules', (route) => route.fulfill({ status: 409, contentType: 'application/problem+json', body: '{"code":"already_exists","detail":"taken"}' }))
    await dialog.button('Always…').click()
    const save = dialog.button('Save the rule and approve')
    await dialog.armed(save)
    await save.click()
    await dialog.box.getByRole('alert').waitFor()
    expect(await dialog.box.getByRole('alert').innerText()).toContain('This name is taken.')
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
  })
})

describe('undo', () => {
  test('for three seconds nothing is sent, and Escape takes it back', async () => {
    const { desk, page, call, dialog } = await opened({ undoSeconds: 3 })
    await dialog.pressApprove()
    await dialog.undo.waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Undo')
    await page.keyboard.press('Escape')
    await dialog.decline.waitFor()
    await pause(3_500)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await dialog.pressApprove()
    await pause(2_000)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await dialog.gone()
    expect(await desk.call(call.id)).toMatchObject({ decision: { approved: true } })
  })

  test('nothing is sent for a call that was settled meanwhile', async () => {
    const { desk, call, dialog } = await opened({ undoSeconds: 2 })
    await dialog.pressApprove()
    await dialog.undo.waitFor()
    await desk.decide(await desk.firstPending(), false, 'not today')
    await dialog.gone()
    await pause(2_500)
    expect(await desk.call(call.id)).toMatchObject({ status: 'declined', decision: { reason: 'not today' } })
  })
})

describe('without faults that a machine can find', () => {
  test.each(['light', 'dark'] as const)('in the %s scheme: every state of the dialog', async (colorScheme) => {
    // No colour is looked at while it turns into another.
    const { desk, agentToken, page, dialog } = await opened({ undoSeconds: 30, colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const found: string[] = []
    const check = async (where: string) => {
      await pause(250)
      found.push(...(await faults(page)).map((fault) => `${where}: ${fault}`))
    }
    await check('being armed')
    await dialog.armed()
    await check('armed')
    await dialog.box.getByRole('radio', { name: 'launch' }).check()
    await check('this kind')
    await dialog.box.getByRole('radio', { name: 'everything on rockets' }).check()
    await dialog.pressApprove()
    await dialog.button('Approve everything').waitFor()
    await check('everything')
    await dialog.button('Back').click()
    await dialog.box.getByRole('radio', { name: 'This call' }).check()
    await dialog.button('Always…').click()
    await dialog.armed(dialog.button('Save the rule and approve'))
    await check('always')
    await dialog.button('Back').click()
    await dialog.pressApprove()
    await dialog.undo.waitFor()
    await check('undo')
    await dialog.undo.click()
    await dialog.pressDecline()
    await dialog.gone()
    await ask(desk.url, agentToken, 'delete_everything', { timeoutSeconds: 25, description: 'only a look', resumeSchema: { type: 'object' } })
    const risky = await new ApprovalDialog(page, 'delete_everything').shown()
    await risky.box.getByLabel('Data for the agent').fill('{"a":')
    await check('high risk, data, little time')
    expect(found).toEqual([])
  })
})

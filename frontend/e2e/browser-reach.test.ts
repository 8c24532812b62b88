import { expect, test } from 'vitest'
import { choose } from './harness/choose'
import { aBrowser, openDeskPage, type PageOptions } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { faultsInBothThemes } from './harness/faults'
import { setUp } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause } from './harness/wait'

const browser = aBrowser()

async function opened({ undoSeconds = 0, ...options }: { undoSeconds?: number } & PageOptions = {}) {
  const { desk, agentToken } = await setUp([])
  await desk.changeSettings({ undoSeconds })
  const page = await openDeskPage(browser(), desk, options)
  const call = await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 1 } })
  const dialog = await new ApprovalDialog(page, 'launch').shown()
  return { desk, agentToken, page, call, dialog }
}

test('an approval reaches its kind in the session, or everything of it after a second word, and never what is of high risk', async () => {
  const { desk, agentToken, page, dialog } = await opened()
  await dialog.box.getByRole('radio', { name: 'launch' }).check()
  await choose(dialog.box.getByLabel('For how long'), 'for 15 minutes')
  expect(await dialog.text()).toContain('Runs without asking until this ends: launch on rockets')
  await dialog.pressApprove()
  await dialog.gone()
  const like = await ask(desk.url, agentToken, 'launch', { sessionId: 'night', input: { n: 2 } })
  expect(await desk.call(like.id)).toMatchObject({ status: 'approved', decision: { by: 'grant' } })
  const elsewhere = await ask(desk.url, agentToken, 'launch', { sessionId: 'day', input: { n: 3 } })
  expect(await desk.call(elsewhere.id)).toMatchObject({ status: 'pending' })

  await dialog.shown()
  await dialog.box.getByRole('radio', { name: 'everything on rockets' }).check()
  await dialog.pressApprove()
  const second = dialog.button('Approve everything')
  await dialog.armed(second)
  expect((await desk.firstPending()).status).toBe('pending')
  await second.click()
  await dialog.gone()
  const other = await ask(desk.url, agentToken, 'land', { sessionId: 'day' })
  expect(await desk.call(other.id)).toMatchObject({ status: 'approved', decision: { by: 'grant' } })
  const risky = await ask(desk.url, agentToken, 'delete_everything', { sessionId: 'day' })
  expect(await desk.call(risky.id)).toMatchObject({ status: 'pending', risk: 'high' })
  const dangerous = await new ApprovalDialog(page, 'delete_everything').shown()
  expect(await dangerous.box.getByRole('radio').count()).toBe(0)
  expect(await dangerous.text()).toContain('With high risk, approval covers this call only.')
})

test('always offers commands from narrow to wide in words, and commits the rule that is chosen before the call is released', async () => {
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
  await asked.box.getByLabel('Note').fill('fine on weekdays')
  await asked.armed(asked.button('Save the rule and approve'))
  await asked.button('Save the rule and approve').click()
  await asked.gone()
  const kinds = await desk.journalKinds()
  expect(kinds.lastIndexOf('call.decided')).toBeGreaterThan(kinds.lastIndexOf('rules.changed'))
  expect(await desk.rules()).toMatchObject([{ effect: 'allow', toolName: 'run', note: 'fine on weekdays' }])
  expect(await desk.call((await run('git add z; git add .')).id)).toMatchObject({ status: 'approved', decision: { by: 'rule' } })
  expect(await desk.call((await run('git add z && git push')).id)).toMatchObject({ status: 'pending', risk: 'high' })
})

test('every state of the dialog is without faults that a machine can find; a yes is taken back by Escape', async () => {
  const looks = { colorScheme: 'dark', bypassCSP: true, reducedMotion: 'reduce' } as const
  const { desk, agentToken, page, call, dialog } = await opened({ undoSeconds: 30, ...looks })
  const found: string[] = []
  const check = async (where: string) => {
    await pause(250) // no colour is looked at while it turns into another
    found.push(...(await faultsInBothThemes(page)).map((fault) => `${where}: ${fault}`))
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
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Undo')
  await check('undo')
  await page.keyboard.press('Escape')
  await dialog.decline.waitFor()
  expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
  await dialog.pressDecline()
  await dialog.gone()
  await ask(desk.url, agentToken, 'delete_everything', { timeoutSeconds: 25, description: 'only a look', resumeSchema: { type: 'object' } })
  const risky = await new ApprovalDialog(page, 'delete_everything').shown()
  await risky.box.getByLabel('Data for the agent').fill('{"a":')
  await check('high risk, data, little time')
  expect(found).toEqual([])
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink, stopClock } from './harness/browser'
import { ApprovalDialog, holdAnswers, notices } from './harness/dialog'
import { openAgent, setUp, setUpFiles } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

test('a call runs at once when a rule allows it; any other waits in the dialog, runs only after a yes, and never after a no', async () => {
  const { desk, files, agentToken } = await setUpFiles()
  const page = await openDeskPage(browser(), desk)
  const agent = await openAgent(desk.url, agentToken)
  writeFileSync(join(files, 'plan.txt'), 'buy rice')
  expect(await agent.call('read_text_file', { path: join(files, 'plan.txt') }).outcome).toEqual({ text: 'buy rice', isError: false })
  expect((await desk.calls('completed')).map(({ toolName, decision }) => [toolName, decision?.by])).toEqual([['read_text_file', 'rule']])
  await pause(500)
  expect(await page.getByRole('alertdialog').count()).toBe(0)

  const path = join(files, 'poem.txt')
  const content = 'furu ike ya\n蛙 "飛びこむ"\n'
  const flight = agent.call('write_file', { path, content })
  const dialog = await new ApprovalDialog(page, 'write_file').shown()
  expect(await dialog.text()).toMatch(/^scribe wants to create .*poem\.txt, \+2/)
  const sent = await dialog.input.textContent()
  expect(sent).toContain(path)
  expect(sent).toContain('furu ike ya\\n蛙 \\"飛びこむ\\"\\n')
  expect(existsSync(path)).toBe(false)
  expect(await page.evaluate(() => document.activeElement?.textContent)).not.toContain('Approve')
  expect(await dialog.box.evaluate((box) => box.contains(document.activeElement))).toBe(true)
  await until('word that it still waits', () => flight.progress() > 0)
  expect(existsSync(path)).toBe(false)
  await dialog.pressApprove()
  expect(await flight.outcome).toMatchObject({ isError: false })
  expect(readFileSync(path, 'utf8')).toBe(content)
  await dialog.gone()
  expect(await notices(page)).toContain('Approved: write_file')

  const other = agent.call('write_file', { path: join(files, 'no.txt'), content: 'x' })
  await (await new ApprovalDialog(page, 'write_file').shown()).pressDecline('write into drafts/ instead')
  const outcome = await other.outcome
  expect(outcome.isError).toBe(true)
  expect(outcome.text).toContain('write into drafts/ instead')
  await pause(500)
  expect(existsSync(join(files, 'no.txt'))).toBe(false)
})

test('two calls at once are answered each to its own caller, in the order of their coming and the other way round', async () => {
  const { desk, files, agentToken } = await setUpFiles()
  const page = await openDeskPage(browser(), desk)
  const [one, two] = [await openAgent(desk.url, agentToken), await openAgent(desk.url, agentToken)]
  for (const inOrder of [true, false]) {
    const [file, folder] = [join(files, `file ${String(inOrder)}`), join(files, `folder ${String(inOrder)}`)]
    const write = one.call('write_file', { path: file, content: 'one' })
    await desk.pending(1)
    const make = two.call('create_directory', { path: folder })
    await desk.pending(2)

    const [first, second] = [new ApprovalDialog(page, 'write_file'), new ApprovalDialog(page, 'create_directory')]
    await until('the count', async () => (await (await first.shown()).text()).includes('1 of 2'))
    if (inOrder) {
      await first.pressApprove()
      await (await second.shown()).pressDecline('no folders')
    } else {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: /^Waiting/ }).or(page.getByRole('button', { name: /^Waiting/ })).first().click()
      await page.getByRole('button', { name: 'Review create_directory' }).click()
      await (await second.shown()).pressDecline('no folders')
      await (await first.shown()).pressApprove()
    }
    expect(await write.outcome).toMatchObject({ isError: false, text: expect.stringContaining(file) })
    expect(await make.outcome).toMatchObject({ isError: true, text: expect.stringContaining('no folders') })
    expect(readFileSync(file, 'utf8')).toBe('one')
    expect(existsSync(folder)).toBe(false)
  }
})

test('a call shows and leaves at once, whoever settles it, and a yes that comes second is told what stands', async () => {
  const { desk, files, agentToken } = await setUpFiles()
  const page = await openDeskPage(browser(), desk, { expected: /409/ })
  await screenLink(page, 'Rules').waitFor()
  // Without word from the desk the page would find out within four seconds: not eight times in a row.
  for (const tool of ['one', 'two', 'three', 'four']) {
    const { cancel } = await ask(desk.url, agentToken, tool)
    const { box } = new ApprovalDialog(page, tool)
    await box.waitFor({ timeout: 2_500 })
    await cancel()
    await box.waitFor({ state: 'detached', timeout: 2_500 })
  }

  const agent = await openAgent(desk.url, agentToken)
  const elsewhere = agent.call('write_file', { path: join(files, 'else.txt'), content: 'x' })
  const dialog = await new ApprovalDialog(page, 'write_file').shown()
  expect((await desk.decide(await desk.firstPending(), true)).status).toBe(200)
  expect(await elsewhere.outcome).toMatchObject({ isError: false })
  await dialog.gone()
  await page.getByRole('alertdialog', { name: 'write_file was settled elsewhere' }).waitFor()
  expect((await desk.calls()).filter(({ toolName }) => toolName === 'write_file')).toHaveLength(1)

  const late = agent.call('write_file', { path: join(files, 'late.txt'), content: 'x' })
  await dialog.shown()
  const answers = await holdAnswers(page)
  await dialog.pressApprove()
  await answers.caught
  expect((await desk.decide(await desk.firstPending(), false, 'not today')).status).toBe(200)
  answers.release()
  expect(await late.outcome).toMatchObject({ isError: true, text: expect.stringContaining('not today') })
  await dialog.gone()
  expect(await notices(page)).toMatch(/write_file.*(already|before)/s)
  await pause(500)
  expect(existsSync(join(files, 'late.txt'))).toBe(false)
})

/** A desk without undo, and its page with the focus on a link. */
async function opened() {
  const { desk, agentToken } = await setUp()
  await desk.changeSettings({ undoSeconds: 0 })
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Activity').focus()
  return { desk, agentToken, page }
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

describe('keys and presses', () => {
  test('decide nothing before Approve is ready, be they held until then', async () => {
    const { desk, agentToken, page } = await opened()
    await stopClock(page)
    const call = await ask(desk.url, agentToken, 'delete_everything')
    const dialog = await new ApprovalDialog(page, 'delete_everything').shown()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    await page.keyboard.press('Control+Enter')
    await dialog.approve.click({ force: true, noWaitAfter: true })
    await page.clock.runFor(10) // that press is over
    await page.mouse.down()
    await page.clock.resume()
    await dialog.armed()
    await page.mouse.up()
    await pause(300)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await page.keyboard.press('Control+Enter')
    await dialog.gone()
    expect(await desk.call(call.id)).toMatchObject({ decision: { by: 'person', approved: true } })
  })

  test('lead in, around and back; Enter approves on Approve only, and Escape puts off', async () => {
    const { desk, agentToken, page } = await opened()
    const call = await ask(desk.url, agentToken, 'launch')
    const dialog = await new ApprovalDialog(page, 'launch').shown()
    await until('the focus', async () => (await focused(page)).includes('wants to run launch'))
    await dialog.armed()
    await page.keyboard.press('Enter')
    const passed = new Set<string>()
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      // The browser's own frame may come in between, where no element of the page has the focus.
      const inside = (box: Element) => box.contains(document.activeElement) || document.activeElement === document.body
      expect(await dialog.box.evaluate(inside)).toBe(true)
      passed.add(await focused(page))
    }
    for (const name of ['Always…', '5 more minutes', 'Later', 'Decline', 'Approve']) expect([...passed]).toContain(name)
    expect(await desk.call(call.id)).toMatchObject({ status: 'pending' })
    await dialog.approve.focus()
    await dialog.armed() // on the way through the browser's frame the page had lost the focus
    await page.keyboard.press('Enter')
    await dialog.gone()
    expect(await desk.call(call.id)).toMatchObject({ decision: { approved: true } })
    expect(await focused(page)).toBe('Activity')

    const later = await ask(desk.url, agentToken, 'land')
    const second = await new ApprovalDialog(page, 'land').shown()
    await page.keyboard.press('Escape')
    await second.gone()
    expect(await focused(page)).toBe('Activity')
    expect(await desk.call(later.id)).toMatchObject({ status: 'pending' })
  })
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink, stopClock } from './harness/browser'
import { ApprovalDialog, holdAnswers, notices } from './harness/dialog'
import { openAgent, setUp, setUpFiles } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

describe('a call through the desk', () => {
  test('runs at once when a rule allows it, and nobody is asked', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk)
    const agent = await openAgent(desk.url, agentToken)
    writeFileSync(join(files, 'plan.txt'), 'buy rice')

    const read = await agent.call('read_text_file', { path: join(files, 'plan.txt') }).outcome
    expect(read).toEqual({ text: 'buy rice', isError: false })
    expect((await desk.calls('completed')).map(({ toolName, decision }) => [toolName, decision?.by])).toEqual([['read_text_file', 'rule']])
    await pause(500)
    expect(await page.getByRole('alertdialog').count()).toBe(0)
  })

  test('shows at once when it comes and leaves at once when it is taken back', async () => {
    const { desk, agentToken } = await setUp()
    const page = await openDeskPage(browser(), desk)
    await screenLink(page, 'Rules').waitFor()
    // Without word from the desk the page would find out within four seconds: not eight times in a row.
    for (const tool of ['one', 'two', 'three', 'four']) {
      const { cancel } = await ask(desk.url, agentToken, tool)
      const { box } = new ApprovalDialog(page, tool)
      await box.waitFor({ timeout: 2_500 })
      await cancel()
      await box.waitFor({ state: 'detached', timeout: 2_500 })
    }
  })

  test('waits in the dialog and runs only after a yes', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk)
    const agent = await openAgent(desk.url, agentToken)
    const path = join(files, 'poem.txt')
    const content = 'furu ike ya\n蛙 "飛びこむ"\n'
    const flight = agent.call('write_file', { path, content })

    const dialog = await new ApprovalDialog(page, 'write_file').shown()
    expect(await dialog.text()).toMatch(/^scribe wants to create .*poem\.txt, \+2/)
    const sent = await dialog.input.textContent()
    expect(sent).toContain(path)
    expect(sent).toContain('furu ike ya\\n蛙 \\"飛びこむ\\"\\n')
    expect(await page.evaluate(() => document.activeElement?.textContent)).not.toContain('Approve')
    expect(await dialog.box.evaluate((box) => box.contains(document.activeElement))).toBe(true)
    await until('word that it still waits', () => flight.progress() > 0)
    expect(existsSync(path)).toBe(false)

    await dialog.pressApprove()
    expect(await flight.outcome).toMatchObject({ isError: false })
    expect(readFileSync(path, 'utf8')).toBe(content)
    await dialog.gone()
    expect(await notices(page)).toContain('Approved: write_file')
  })

  test('is not approved by a press or a key before Approve is ready', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk)
    const agent = await openAgent(desk.url, agentToken)
    await stopClock(page)
    agent.call('write_file', { path: join(files, 'hasty.txt'), content: 'x' })

    const dialog = await new ApprovalDialog(page, 'write_file').shown()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    await page.keyboard.press('Control+Enter')
    await dialog.approve.click({ force: true, noWaitAfter: true })
    await page.clock.resume()
    await dialog.armed()
    expect((await desk.firstPending()).status).toBe('pending')
    expect(existsSync(join(files, 'hasty.txt'))).toBe(false)
  })

  test('never runs after a no, and the agent reads the reason', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk)
    const agent = await openAgent(desk.url, agentToken)
    const flight = agent.call('write_file', { path: join(files, 'no.txt'), content: 'x' })

    await (await new ApprovalDialog(page, 'write_file').shown()).pressDecline('write into drafts/ instead')
    const outcome = await flight.outcome
    expect(outcome.isError).toBe(true)
    expect(outcome.text).toContain('write into drafts/ instead')
    await pause(500)
    expect(existsSync(join(files, 'no.txt'))).toBe(false)
  })
})

describe('two calls at once', () => {
  test.each([
    ['in the order of their coming', true],
    ['the other way round', false],
  ])('are answered each to its own caller, %s', async (_, inOrder) => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk)
    const [one, two] = [await openAgent(desk.url, agentToken), await openAgent(desk.url, agentToken)]
    const write = one.call('write_file', { path: join(files, 'one.txt'), content: 'one' })
    await desk.pending(1)
    const make = two.call('create_directory', { path: join(files, 'two') })
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
    expect(await write.outcome).toMatchObject({ isError: false, text: expect.stringContaining('one.txt') })
    expect(await make.outcome).toMatchObject({ isError: true, text: expect.stringContaining('no folders') })
    expect(readFileSync(join(files, 'one.txt'), 'utf8')).toBe('one')
    expect(existsSync(join(files, 'two'))).toBe(false)
  })
})

describe('one outcome, whoever answers', () => {
  test('a call that is settled elsewhere leaves the dialog and runs once', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk)
    const agent = await openAgent(desk.url, agentToken)
    const flight = agent.call('write_file', { path: join(files, 'else.txt'), content: 'x' })
    const dialog = await new ApprovalDialog(page, 'write_file').shown()

    expect((await desk.decide(await desk.firstPending(), true)).status).toBe(200)
    expect(await flight.outcome).toMatchObject({ isError: false })
    await dialog.gone()
    await page.getByRole('alertdialog', { name: 'write_file was settled elsewhere' }).waitFor()
    expect(await desk.calls()).toHaveLength(1)
  })

  test('a yes that comes second is told what stands', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const page = await openDeskPage(browser(), desk, { expected: /409/ })
    const agent = await openAgent(desk.url, agentToken)
    const flight = agent.call('write_file', { path: join(files, 'late.txt'), content: 'x' })
    const dialog = await new ApprovalDialog(page, 'write_file').shown()
    const answers = await holdAnswers(page)
    await dialog.pressApprove()
    await answers.caught

    expect((await desk.decide(await desk.firstPending(), false, 'not today')).status).toBe(200)
    answers.release()
    expect(await flight.outcome).toMatchObject({ isError: true, text: expect.stringContaining('not today') })
    await dialog.gone()
    expect(await notices(page)).toMatch(/write_file.*(already|before)/s)
    await pause(500)
    expect(existsSync(join(files, 'late.txt'))).toBe(false)
  })

  test('the same answer twice is one answer', async () => {
    const { desk, files, agentToken } = await setUpFiles()
    const agent = await openAgent(desk.url, agentToken)
    const flight = agent.call('write_file', { path: join(files, 'twice.txt'), content: 'x' })
    const call = await desk.firstPending()
    const both = await Promise.all([desk.decide(call, true), desk.decide(call, true)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(both.filter(({ body }) => body.repeated === true)).toHaveLength(1)
    expect(await flight.outcome).toMatchObject({ isError: false })
    expect((await desk.decide(call, false)).status).toBe(409)
  })

  test('a yes after the deadline changes nothing, and says so', async () => {
    const { desk, agentToken } = await setUp()
    await desk.changeSettings({ undoSeconds: 0 })
    const page = await openDeskPage(browser(), desk, { expected: /409/ })
    const answers = await holdAnswers(page)
    const over = async (id: string) => until('the deadline', async () => (await desk.call(id)).status === 'expired', 60_000)
    // Each deadline is twice as far as the one before, until this machine shows the call and arms it in time.
    const answered = async (seconds: number): Promise<{ id: string; tool: string; dialog: ApprovalDialog }> => {
      const tool = `launch_${String(seconds)}`
      const { id } = await ask(desk.url, agentToken, tool, { timeoutSeconds: seconds })
      const dialog = new ApprovalDialog(page, tool)
      const pressed = dialog.shown().then(() => dialog.pressApprove()).then(() => answers.caught)
      const inTime = await Promise.race([pressed.then(() => true), over(id).then(() => false)])
      return inTime ? { id, tool, dialog } : answered(2 * seconds)
    }
    const { id, tool, dialog } = await answered(2)
    await over(id)

    answers.release()
    await dialog.gone()
    await until('clear words', async () => new RegExp(`${tool} .*(time|late|expired)`, 'is').test(await notices(page)))
    expect(await desk.call(id)).toMatchObject({ status: 'expired', decision: { by: 'clock', approved: false } })
  })

  test('a call that its agent cancels leaves the dialog, and a yes to it changes nothing', async () => {
    const { desk, agentToken } = await setUp()
    const page = await openDeskPage(browser(), desk, { expected: /409/ })
    const call = await ask(desk.url, agentToken, 'launch')
    const dialog = await new ApprovalDialog(page, 'launch').shown()
    const answers = await holdAnswers(page)
    await dialog.pressApprove()
    await answers.caught

    await call.cancel()
    answers.release()
    await dialog.gone()
    await until('clear words', async () => (await notices(page)).includes('launch The agent took this call back'))
    expect(await desk.call(call.id)).toMatchObject({ status: 'cancelled', decision: { by: 'caller', approved: false } })
  })
})

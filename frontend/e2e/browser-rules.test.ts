import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choose } from './harness/choose'
import { openDeskPage, aBrowser } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { openAgent, setUp, setUpFiles } from './harness/fixtures'
import type { RuleInput } from './harness/operator'
import { fill, RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

test('what is changed acts on the next call: added with a limit, edited, deleted', async () => {
  const { desk, files, agentToken } = await setUpFiles([])
  const page = await openDeskPage(browser(), desk)
  const agent = await openAgent(desk.url, agentToken)
  const rules = await new RulesScreen(page).open()
  const make = (name: string) => agent.call('create_directory', { path: join(files, name) })

  const form = await rules.startNew()
  await fill(form, { 'Tool name': 'create_directory' }, 'Allow')
  await fill(form, { 'At most': '2', 'calls in': '10' })
  await choose(form.getByLabel('Unit of time'), 'minutes')
  await form.getByRole('button', { name: 'Save' }).click()
  await rules.row('At most 2 per 10 minutes').waitFor()
  for (const name of ['one', 'two']) expect(await make(name).outcome).toMatchObject({ isError: false })
  expect(existsSync(join(files, 'two'))).toBe(true)
  const third = make('three')
  const dialog = await new ApprovalDialog(page, 'create_directory').shown()
  await page.getByText('would allow it, but its limit is reached: 2 per 600 s').first().waitFor()
  expect(existsSync(join(files, 'three'))).toBe(false)
  await dialog.pressApprove()
  expect(await third.outcome).toMatchObject({ isError: false })
  await dialog.gone()

  await rules.row('create_directory').getByRole('button', { name: /^Edit/ }).click()
  await fill(rules.form('Edit the rule'), { Note: 'folders are made by hand' }, 'Deny')
  await page.keyboard.press('Enter')
  await rules.form('Edit the rule').waitFor({ state: 'detached' }) // it stands in the row, and has the word Deny too
  await rules.row('Deny').waitFor()
  expect(await make('denied').outcome).toMatchObject({ isError: true, text: expect.stringContaining('folders are made by hand') })
  expect(existsSync(join(files, 'denied'))).toBe(false)

  await rules.row('create_directory').getByRole('button', { name: /^Delete/ }).click()
  const confirmation = page.getByRole('alertdialog', { name: 'Delete this rule?' })
  expect(await confirmation.innerText()).toContain('create_directory')
  await confirmation.getByRole('button', { name: 'Delete the rule' }).click()
  await rules.row('create_directory').waitFor({ state: 'detached' })
  make('asked')
  await dialog.shown()
  expect(existsSync(join(files, 'asked'))).toBe(false)
})

test('all of it by the keyboard: the five examples, one of them searched, edited, put back, deleted and brought back', async () => {
  const { desk } = await setUp([])
  const page = await openDeskPage(browser(), desk)
  const rules = await new RulesScreen(page).open()
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '')
  const tabTo = (name: RegExp) => until(String(name), async () => {
    await page.keyboard.press('Tab')
    return name.test(await focused())
  })
  const inWords = (rule: RuleInput) => [rule.serverId, rule.toolName, rule.toolPattern, rule.note].filter(Boolean).join(' ')
  const inForce = async () => (await desk.rules()).map(inWords)

  await tabTo(/^Add the five example rules$/)
  await page.keyboard.press('Enter')
  await until('five rules', async () => (await rules.rows.count()) === 6)
  // In the order in which they are judged, not in that in which they were made.
  const five = ['filesystem delete_*', 'filesystem read_*', 'shell execute_command', 'weather-server', '']
  expect(await inForce()).toEqual(five)
  expect((await rules.texts()).join('\n')).toMatch(/delete_\*[^]*read_\*[^]*execute_command[^]*weather-server[^]*Priority 0/)

  await page.keyboard.press('/')
  await page.keyboard.type('execute')
  await until('one rule', async () => (await rules.rows.count()) === 2)
  await tabTo(/^Edit the rule shell/)
  await page.keyboard.press('Enter')
  await until('the form', async () => (await page.evaluate(() => document.activeElement?.tagName)) === 'INPUT')
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
  await page.keyboard.type('by hand, please')
  await page.keyboard.press('Escape')
  expect(await focused()).toMatch(/^Edit the rule shell/)
  await page.keyboard.press('Enter')
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
  await page.keyboard.type('by hand')
  await page.keyboard.press('Enter')
  await rules.row('by hand').waitFor()
  const edited = five.with(2, 'shell execute_command by hand')
  expect(await inForce()).toEqual(edited)

  await tabTo(/^Delete the rule shell/)
  const question = page.getByRole('alertdialog', { name: 'Delete this rule?' })
  for (const leave of ['Enter', 'Escape']) {
    await page.keyboard.press('Enter')
    await question.waitFor()
    expect(await focused()).toBe('Cancel')
    await page.keyboard.press(leave)
    await question.waitFor({ state: 'detached' })
    await until('the focus to be back', async () => /^Delete the rule shell/.test(await focused()))
  }
  expect(await inForce()).toEqual(edited)
  await page.keyboard.press('Enter')
  await tabTo(/^Delete the rule$/)
  await page.keyboard.press('Enter')
  await until('it is gone', async () => (await inForce()).length === 4)
  await tabTo(/^Undo$/)
  await page.keyboard.press('Enter')
  await until('it is back', async () => (await inForce()).length === 5)
  await rules.row('by hand').waitFor()
  expect(await inForce()).toEqual(edited)
})

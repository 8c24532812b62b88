import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choose } from './harness/choose'
import { openDeskPage, aBrowser } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { openAgent, setUp, setUpFiles } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { fill, RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

test('a new rule begins with priority 0 and asking, and is shown by badges', async () => {
  const { desk } = await setUp([])
  const page = await openDeskPage(browser(), desk)
  const rules = await new RulesScreen(page).open()
  const form = await rules.startNew()
  expect(await form.getByLabel('Priority', { exact: true }).inputValue()).toBe('0')
  expect(await form.getByRole('radio', { name: 'Ask' }).isChecked()).toBe(true)
  for (const empty of ['Server', 'Tool name', 'Tool pattern']) expect(await form.getByLabel(empty, { exact: true }).inputValue()).toBe('')

  await fill(form, { Server: 'filesystem', 'Tool pattern': 'read_*', Priority: '100' }, 'Allow')
  await form.getByRole('button', { name: 'Save' }).click()
  const row = rules.row('read_*')
  await row.waitFor()
  expect((await row.innerText()).replace(/\s+/g, ' ')).toMatch(/Allow.*Server filesystem.*Pattern read_\*.*Priority 100/)
})

test('rules stand in the order of judgement, whatever the order they were written in', async () => {
  const { desk } = await setUp([
    { effect: 'ask', priority: 0 },
    { toolName: 'write_file', effect: 'allow', priority: 50 },
    { toolName: 'write_file', effect: 'deny', priority: 50 },
    { serverId: 'shell', effect: 'ask', priority: 100 },
  ])
  const rules = await new RulesScreen(await openDeskPage(browser(), desk)).open()
  await rules.row('Priority 100').waitFor()
  const order = (await rules.texts()).map((text) => /Allow|Ask|Deny/.exec(text)?.[0] + ' ' + (/Priority \d+/.exec(text)?.[0] ?? 'last'))
  expect(order).toEqual(['Ask Priority 100', 'Deny Priority 50', 'Allow Priority 50', 'Ask Priority 0', 'Ask last'])
})

test('what is changed acts on the next call: added, edited, deleted', async () => {
  const { desk, files, agentToken } = await setUpFiles([])
  const page = await openDeskPage(browser(), desk)
  const agent = await openAgent(desk.url, agentToken)
  const rules = await new RulesScreen(page).open()
  const make = (name: string) => agent.call('create_directory', { path: join(files, name) })

  await fill(await rules.startNew(), { 'Tool name': 'create_directory' }, 'Allow')
  await rules.form('New rule').getByRole('button', { name: 'Save' }).click()
  await rules.row('create_directory').waitFor()
  expect(await make('allowed').outcome).toMatchObject({ isError: false })
  expect(existsSync(join(files, 'allowed'))).toBe(true)

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
  await new ApprovalDialog(page, 'create_directory').shown()
  expect(existsSync(join(files, 'asked'))).toBe(false)
})

test('a rule goes only when the question is answered with yes', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk)
  const rules = await new RulesScreen(page).open()
  const confirmation = page.getByRole('alertdialog', { name: 'Delete this rule?' })
  for (const leave of ['Enter', 'Escape']) {
    await rules.row('read_*').getByRole('button', { name: /^Delete/ }).click()
    await confirmation.waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
    await page.keyboard.press(leave)
    await confirmation.waitFor({ state: 'detached' })
  }
  expect(await rules.row('read_*').count()).toBe(1)
})

test('an edit is left without a trace by Escape, and a wrong one is explained at its field', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk, { expected: /422/ })
  const rules = await new RulesScreen(page).open()
  const edit = rules.row('read_*').getByRole('button', { name: /^Edit/ })
  await edit.click()
  await fill(rules.form('Edit the rule'), { 'Tool pattern': 'write_*' })
  await page.keyboard.press('Escape')
  await rules.row('read_*').waitFor()

  await edit.click()
  await fill(rules.form('Edit the rule'), { Priority: '3000000000' })
  await page.keyboard.press('Enter')
  await until('the reason', async () => (await rules.form('Edit the rule').getByLabel('Priority', { exact: true }).getAttribute('aria-invalid')) === 'true')
  expect(await rules.form('Edit the rule').getByRole('alert').innerText()).toContain('Priority must lie from')
})

test('an edit over someone else’s is not lost and does not win unseen', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk, { expected: /412/ })
  const rules = await new RulesScreen(page).open()
  await rules.row('read_*').getByRole('button', { name: /^Edit/ }).click()
  await fill(rules.form('Edit the rule'), { Note: 'mine' })
  const other = await new RulesScreen(await openDeskPage(browser(), desk)).open()
  await other.row('read_*').getByRole('button', { name: /^Edit/ }).click()
  await fill(other.form('Edit the rule'), { Note: 'theirs' })
  await other.form('Edit the rule').getByRole('button', { name: 'Save' }).click()
  await other.row('theirs').waitFor()

  await rules.form('Edit the rule').getByRole('button', { name: 'Save' }).click()
  await until('the conflict', async () => (await rules.form('Edit the rule').getByRole('alert').innerText()).includes('changed by someone else'))
  await rules.form('Edit the rule').getByRole('button', { name: 'Save' }).click()
  await rules.row('mine').waitFor()
})

test('calls that wait stay when a rule allows them, until they are let go', async () => {
  const { desk, agentToken } = await setUp()
  const calls = [await ask(desk.url, agentToken, 'launch', { input: { n: 1 } }), await ask(desk.url, agentToken, 'launch', { input: { n: 2 } })]
  const page = await openDeskPage(browser(), desk) // that has both from the start: Escape puts off what it has
  const dialog = await new ApprovalDialog(page, 'launch').shown()
  await page.keyboard.press('Escape')
  await dialog.gone()
  const rules = await new RulesScreen(page).open()
  await fill(await rules.startNew(), { 'Tool name': 'launch', Priority: '5' }, 'Allow')
  await page.keyboard.press('Enter')
  await page.getByText('2 waiting calls match this rule').waitFor()
  const stand = () => Promise.all(calls.map(async ({ id }) => (await desk.call(id)).status))
  expect(await stand()).toEqual(['pending', 'pending'])

  await page.getByRole('button', { name: 'Approve them' }).click()
  await page.getByText('2 waiting calls were approved by this rule.').waitFor()
  expect(await stand()).toEqual(['approved', 'approved'])
})

test('an edit leaves alone what the form does not write', async () => {
  const more = { condition: 'input.n > 1', expiresAt: '2099-05-06T07:08:09.000Z', examples: [{ serverId: 'rockets', toolName: 'launch', input: { n: 9007199254740991 }, decision: 'allow' }] }
  const { desk } = await setUp([{ serverId: 'rockets', toolName: 'launch', effect: 'allow', ...more }])
  const rules = await new RulesScreen(await openDeskPage(browser(), desk)).open()
  expect(await rules.row('launch').first().innerText()).toContain('Only if input.n > 1')
  await rules.row('launch').getByRole('button', { name: /^Edit/ }).click()
  await fill(rules.form('Edit the rule'), { Note: 'mine' })
  await rules.form('Edit the rule').getByRole('button', { name: 'Save' }).click()
  await rules.row('mine').waitFor()
  const { body } = await request(desk.url, desk.token, 'GET', '/v1/rules')
  expect(body.rules).toMatchObject([{ note: 'mine', priority: 0, ...more }])
})

test('a desk without rules offers five examples', async () => {
  const { desk } = await setUp([])
  const page = await openDeskPage(browser(), desk)
  const rules = await new RulesScreen(page).open()
  await page.getByRole('button', { name: 'Add the five example rules' }).click()
  await until('five rules', async () => (await rules.rows.count()) === 6)
  expect((await rules.texts()).join('\n')).toMatch(/delete_\*[^]*read_\*[^]*execute_command[^]*weather-server[^]*Priority 0/)
})

test('all of it by the keyboard: searched, edited, put back, deleted and brought back', async () => {
  const { desk } = await setUp([
    { id: 'reading', serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow', priority: 100 },
    { id: 'pushing', serverId: 'git', toolName: 'push', effect: 'ask', priority: 50 },
    { id: 'rest', effect: 'ask', priority: 0 },
  ])
  const page = await openDeskPage(browser(), desk)
  const rules = await new RulesScreen(page).open()
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '')
  const tabTo = (name: RegExp) => until(String(name), async () => {
    await page.keyboard.press('Tab')
    return name.test(await focused())
  })
  const inForce = async () => (await request(desk.url, desk.token, 'GET', '/v1/rules')).body.rules

  await page.keyboard.press('/')
  await page.keyboard.type('push')
  await until('one rule', async () => (await rules.rows.count()) === 2)
  await tabTo(/^Edit the rule git/)
  await page.keyboard.press('Enter')
  await until('the form', async () => (await page.evaluate(() => document.activeElement?.tagName)) === 'INPUT')
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
  await page.keyboard.type('by hand, please')
  await page.keyboard.press('Escape')
  expect(await focused()).toMatch(/^Edit the rule git/)
  await page.keyboard.press('Enter')
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
  await page.keyboard.type('by hand')
  await page.keyboard.press('Enter')
  await rules.row('by hand').waitFor()
  expect(await inForce()).toMatchObject([{ id: 'reading' }, { id: 'pushing', note: 'by hand', effect: 'ask' }, { id: 'rest' }])

  await tabTo(/^Delete the rule git/)
  await page.keyboard.press('Enter')
  await tabTo(/^Delete the rule$/)
  await page.keyboard.press('Enter')
  await until('it is gone', async () => (await inForce() as unknown[]).length === 2)
  await tabTo(/^Undo$/)
  await page.keyboard.press('Enter')
  await until('it is back', async () => (await inForce() as unknown[]).length === 3)
  await rules.row('by hand').waitFor()
  expect(await inForce()).toMatchObject([{ id: 'reading' }, { id: 'pushing', note: 'by hand' }, { id: 'rest' }])
})

test('a limit is written with its unit, shown in words, and holds: the next call asks, and says why', async () => {
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
  const third = make('three')
  const dialog = await new ApprovalDialog(page, 'create_directory').shown()
  await page.getByText('would allow it, but its limit is reached: 2 per 600 s').first().waitFor()
  expect(existsSync(join(files, 'three'))).toBe(false)
  await dialog.pressApprove()
  expect(await third.outcome).toMatchObject({ isError: false })
})

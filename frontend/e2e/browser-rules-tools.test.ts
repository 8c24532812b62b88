import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { openDeskPage, aBrowser, type PageOptions } from './harness/browser'
import { faultsInBothThemes } from './harness/faults'
import { setUp, type Setting } from './harness/fixtures'
import { ask, request, type RuleInput, type SeenCall } from './harness/operator'
import { fill, RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

const reading: RuleInput = { id: 'reading', serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow', priority: 100 }
const told = 'Secrets stay here.'
const secret: RuleInput = { id: 'secret', serverId: 'filesystem', toolName: 'read_secret', effect: 'deny', priority: 90, note: told }
const others: RuleInput = { id: 'others', effect: 'ask', priority: 0 }

async function past({ desk, agentToken }: Setting, serverId: string, toolName: string, input = {}): Promise<SeenCall> {
  const { id } = await ask(desk.url, agentToken, toolName, { serverId, input })
  return desk.call(id)
}

async function opened(rules: readonly RuleInput[], prepare?: ((setting: Setting) => Promise<unknown>) | null, options: PageOptions = {}) {
  const setting = await setUp(rules)
  await prepare?.(setting)
  const page = await openDeskPage(browser(), setting.desk, options)
  const screen = await new RulesScreen(page).open()
  await screen.row('Nothing matched').waitFor()
  return { ...setting, page, screen, inForce: () => setting.desk.rules() }
}

const says = (place: Locator, words: string | RegExp) => place.getByText(words).first().waitFor()

test('what an edit or a deletion would change is told before; an edit leaves the rest, a deletion is taken back exactly', async () => {
  const example = { serverId: 'filesystem', toolName: 'read_file', input: { i: 1 }, decision: 'allow' }
  const whole = { ...reading, condition: 'input.i < 9', expiresAt: '2099-05-06T07:08:09.123Z', note: 'mine', examples: [example] } as const
  const { page, screen, inForce } = await opened([whole, secret, others], async (setting) => {
    for (let i = 0; i < 3; i++) await past(setting, 'filesystem', 'read_file', { i })
    for (let i = 0; i < 2; i++) await setting.desk.decide(await past(setting, 'mail', 'send', { i }), i === 0, 'not this')
    await past(setting, 'filesystem', 'read_secret')
  }, { expected: /422/ })
  const form = await screen.startEdit('Pattern read_*')
  await says(form, 'Would change none of 6 past calls')
  await fill(form, {}, 'Deny')
  await says(form, 'Would change 3 of 6 past calls: 3 would be denied')
  await fill(form, { Server: 'mail', 'Tool pattern': '*' }, 'Allow')
  await says(form, 'Would change 5 of 6 past calls: 3 would ask, 2 would be allowed')
  await says(form, '– 1 of these you had declined')
  await says(form, 'Allows calls that were not allowed before')
  await form.getByRole('button', { name: 'Show them' }).click()
  const calls = form.getByRole('list', { name: 'Past calls that would be decided otherwise' })
  await until('the calls', async () => (await calls.getByRole('listitem').count()) === 5)
  expect((await calls.innerText()).replace(/\s+/g, ' ')).toMatch(/mail · send Ask → would become Allow You declined it/)
  await fill(form, { 'Only if': 'input.i ==' })
  await says(form, /The condition is not right: .*syntax/i)
  const condition = form.getByLabel('Only if', { exact: true })
  await condition.press('Enter')
  await until('the field', async () => (await condition.getAttribute('aria-invalid')) === 'true')
  expect(await inForce()).toMatchObject([whole, secret, others]) // nothing was saved
  await fill(form, { Server: 'filesystem', 'Tool pattern': 'read_*', 'Only if': whole.condition, Note: 'ours' })
  await condition.press('Enter')
  await form.waitFor({ state: 'detached' })
  await screen.row('ours').waitFor()
  const before = await inForce()
  expect(before).toMatchObject([{ ...whole, note: 'ours' }, secret, others]) // what the form does not write is as it was

  await screen.row('Pattern read_*').getByRole('button', { name: /^Delete/ }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete this rule?' })
  await says(question, '3 past calls would ask instead of being allowed')
  await question.getByRole('button', { name: 'Delete the rule' }).click()
  await until('it is gone', async () => (await inForce()).length === 2)
  await until('the focus', () => page.getByRole('group', { name: /^Deleted/ }).evaluate((bar) => bar === document.activeElement))
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Undo')
  await page.keyboard.press('Enter')
  await until('it is back', async () => (await inForce()).length === 3)
  const counted = { updatedAt: '', hits: 0, lastHitAt: null } // anew
  const unchanging = (rules: RuleInput[]) => rules.map((rule) => ({ ...rule, ...counted }))
  expect(unchanging(await inForce())).toEqual(unchanging(before))
  await until('the focus', () => screen.row('Pattern read_*').evaluate((row) => row.contains(document.activeElement)))
})

test('the tester gives the verdict of the gate itself and follows the rules; it allows the example of what can pass', async () => {
  const app: RuleInput = { ...reading, condition: 'input.path.startsWith("/home/me/app")' }
  const off: RuleInput = { id: 'off', serverId: 'filesystem', effect: 'allow', priority: 50, enabled: false }
  const commands = 'shell(input.command).names.all(n, n in ["git log", "git push"])'
  const git: RuleInput = { id: 'git', serverId: 'shell', effect: 'allow', priority: 40, condition: commands }
  const { page, screen, desk } = await opened([app, secret, off, git, others])
  await says(page.locator('[data-rule=reading]'), '/home/me/app-secret/example')
  const tester = await screen.openPanel(/^Try a call/, 'Try a call')
  await fill(tester, { Server: 'filesystem', 'Tool name': 'read_secret', Input: '{"path":"/home/me/app/x"}' })
  await says(tester, /decided by rule/)
  const verdict = async () => (await tester.getByRole('status').innerText()).replace(/\s+/g, ' ')
  await until('allowed', async () => (await verdict()).startsWith('Allow decided by rule 1. filesystem · read_*'))
  const steps = tester.getByRole('list', { name: 'Why each rule applied or not' }).getByRole('listitem')
  const trace = async () => (await steps.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  expect(await trace()).toEqual([
    'Allow 1. filesystem · read_* decides',
    'Deny 2. filesystem · read_secret would apply, but a rule above decides',
    'Allow 3. filesystem · every tool is off',
    'Allow 4. shell · every tool another server',
    'Ask 5. any server · every tool would apply, but a rule above decides',
  ])
  await fill(tester, { Input: '{"path":"/etc/x"}' })
  await until('denied', async () => (await verdict()).startsWith('Deny decided by rule 2.'))
  expect((await trace())[0]).toBe('Allow 1. filesystem · read_* its condition is false')
  await says(tester, told)
  await request(desk.url, desk.token, 'DELETE', '/v1/rules/secret')
  await until('asked', async () => (await verdict()).startsWith('Ask decided by rule 4.'))
  await tester.getByRole('link', { name: /any server/ }).first().click()
  await until('the rule', () => screen.rows.nth(3).evaluate((row) => row.contains(document.activeElement)))
  expect(await page.evaluate(() => window.location.hash)).toBe('#/rules')

  const panel = await screen.openPanel(/^What can pass/, 'What can pass?')
  await fill(panel, { Server: 'shell', 'Commands in the line': 'rm' })
  await says(panel, 'No rule lets such a call pass, whatever its input.')
  await fill(panel, { 'Commands in the line': 'git push' })
  await panel.getByText('Can pass', { exact: true }).waitFor()
  await says(panel, '{"command":"git push"}')
  await panel.getByRole('button', { name: 'Try this call' }).click()
  await says(tester, /decided by rule 3/)
})

test('rules leave and come in as a file: what newly allows is ticked one by one, and it is all or nothing', async () => {
  const { data, page, screen, inForce, desk } = await opened([reading, secret, others], null, { expected: /412/ })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const path = join(data, 'out.json')
  await (await download).saveAs(path)
  const document = JSON.parse(readFileSync(path, 'utf8')) as { rules: RuleInput[] }
  expect(document.rules).toHaveLength(3)

  const added = { id: 'new', serverId: 'git', effect: 'allow', priority: 7 }
  writeFileSync(path, JSON.stringify({ ...document, rules: [{ ...document.rules[0], toolPattern: 'get_*' }, document.rules[1], added] }))
  const panel = await screen.openPanel(/^Import/, 'Import rules')
  await panel.getByLabel('Choose a file').setInputFiles(path)
  await says(panel, 'New: 1. Changed: 1. Removed: 0. The same: 1.')
  await panel.getByLabel('are replaced by these').check()
  await says(panel, 'New: 1. Changed: 1. Removed: 1. The same: 1.')
  const rows = panel.getByRole('list', { name: 'What the import changes' }).getByRole('listitem')
  expect((await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^New Allow Server git every tool Priority 7 I agree/),
    expect.stringMatching(/^Changed Now Allow .*Pattern read_\* Priority 100 Then Allow .*Pattern get_\* Priority 100 I agree/),
    expect.stringMatching(/^Removed Ask any server every tool Priority 0$/),
  ])
  const take = panel.getByRole('button', { name: 'Import', exact: true })
  const ticks = panel.getByRole('checkbox')
  expect(await take.isDisabled()).toBe(true)
  await ticks.first().check()
  expect(await take.isDisabled()).toBe(true)
  await ticks.nth(1).check()
  expect(await inForce()).toHaveLength(3)

  // Someone is faster: the difference is another now, and each tick has to be made anew.
  await page.route('**/v1/policy/import', async (route) => {
    await request(desk.url, desk.token, 'POST', '/v1/rules', { id: 'theirs', serverId: 'x', effect: 'ask' })
    await route.continue()
  }, { times: 1 })
  await take.click()
  await says(panel, /changed meanwhile, so nothing was taken/)
  expect((await inForce()).map(({ id }) => id)).toEqual(['reading', 'secret', 'others', 'theirs'])
  await says(panel, 'New: 1. Changed: 1. Removed: 2. The same: 1.')
  expect(await take.isDisabled()).toBe(true)
  for (const tick of await ticks.all()) await tick.check()
  await take.click()
  await says(page.getByRole('main'), 'Imported. New: 1. Changed: 1. Removed: 2.')
  expect((await inForce()).map(({ id }) => id)).toEqual(['reading', 'secret', 'new'])
  expect((await screen.texts()).join()).toMatch(/get_\*.*read_secret.*git/)
})

test('no fault that a machine can find: the list, a form, each panel, a search and the undo', async () => {
  const over: RuleInput = { id: 'over', serverId: 'git', effect: 'allow', expiresAt: '2020-01-01T00:00:00.000Z' }
  const { page, screen } = await opened([reading, secret, over, others], async (setting) => {
    for (let i = 0; i < 3; i++) await setting.desk.decide(await past(setting, 'git', 'fetch', { i }), false, 'no')
    await past(setting, 'filesystem', 'read_file')
  }, { colorScheme: 'dark', bypassCSP: true, reducedMotion: 'reduce' })
  const found: string[] = []
  const check = async (where: string) => {
    found.push(...(await faultsInBothThemes(page)).map((fault) => `${where}: ${fault}`))
  }
  await says(screen.row('read_secret'), 'Never decides')
  await check('list')
  const form = await screen.startEdit('Pattern read_*')
  await fill(form, {}, 'Deny')
  await form.getByRole('button', { name: 'Show them' }).click()
  await check('edit')
  await page.keyboard.press('Escape')
  await fill(await screen.openPanel(/^Try a call/, 'Try a call'), { Server: 'filesystem', 'Tool name': 'read_file' })
  await page.getByText('decided by rule').waitFor()
  await check('tester')
  const panel = await screen.openPanel(/^Import/, 'Import rules')
  const document = { format: 'sekisho.rules', version: 1, rules: [{ ...reading, toolPattern: '*' }] }
  await panel.getByLabel('Or paste the document').fill(JSON.stringify(document))
  await panel.getByRole('checkbox').waitFor()
  await check('import')
  await says(await screen.openPanel(/suggestion/, 'Suggestions'), 'Would change')
  await check('suggestions')
  await screen.handle('read_secret').press('Space')
  await check('grabbed')
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('git')
  await screen.row('Expired').getByRole('button', { name: /^Delete/ }).click()
  await check('question')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the rule' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await check('undo')
  expect(found).toEqual([])
})

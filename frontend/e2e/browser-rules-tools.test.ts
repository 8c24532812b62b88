import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openDeskPage, aBrowser, type PageOptions } from './harness/browser'
import { setUp, type Setting } from './harness/fixtures'
import { request, type RuleInput, type SeenCall } from './harness/operator'
import { fill, RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

const reading: RuleInput = { id: 'reading', serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow', priority: 100 }
const secret: RuleInput = { id: 'secret', serverId: 'filesystem', toolName: 'read_secret', effect: 'deny', priority: 90, note: 'Secrets stay here.' }
const others: RuleInput = { id: 'others', effect: 'ask', priority: 0 }

let asked = 0

/** A call that an agent asks for over REST. Its input is JSON text. */
async function past({ desk, agentToken }: Pick<Setting, 'desk' | 'agentToken'>, serverId: string, toolName: string, input = '{}'): Promise<SeenCall> {
  const body = `${JSON.stringify({ runId: 'past', toolCallId: `past-${String(++asked)}`, serverId, toolName, cwd: '/srv' }).slice(0, -1)},"input":${input}}`
  const answer = await fetch(`${desk.url}/v1/calls`, { method: 'POST', headers: { Authorization: `Bearer ${agentToken}`, 'Content-Type': 'application/json' }, body })
  return ((await answer.json()) as { call: SeenCall }).call
}

const numbered = (i: number) => `{"i":${String(i)}}`

async function opened(rules: readonly RuleInput[] = [reading, secret, others], prepare: (setting: Setting) => Promise<unknown> = () => Promise.resolve(), options: PageOptions = {}) {
  const setting = await setUp(rules)
  await prepare(setting)
  const page = await openDeskPage(browser(), setting.desk, options)
  const screen = await new RulesScreen(page).open()
  await screen.row('Nothing matched').waitFor()
  const inForce = async () => (await request(setting.desk.url, setting.desk.token, 'GET', '/v1/rules')).body.rules as RuleInput[]
  return { ...setting, page, screen, inForce }
}

const says = (place: Locator, words: string | RegExp) => place.getByText(words).first().waitFor()

describe('what an edit would have changed', () => {
  const history = async (setting: Setting) => {
    for (let i = 0; i < 3; i++) await past(setting, 'filesystem', 'read_file', numbered(i))
    for (let i = 0; i < 2; i++) await setting.desk.decide(await past(setting, 'mail', 'send', numbered(i)), i === 0, 'not this')
    await past(setting, 'filesystem', 'read_secret')
  }

  test('is told while it is written, with the calls that a person had declined, and follows each change', async () => {
    const { screen, inForce } = await opened(undefined, history)
    const form = await screen.startEdit('Pattern read_*')
    await says(form, 'Would change none of 6 past calls')
    await fill(form, {}, 'Deny')
    await says(form, 'Would change 4 of 6 past calls: 4 would be denied')
    await fill(form, { Server: 'mail', 'Tool pattern': '*' }, 'Allow')
    await says(form, /Would change 6 of 6 past calls: 3 would ask, 2 would be allowed, 1 would be denied/)
    await says(form, '– 1 of these you had declined')
    await form.getByRole('button', { name: 'Show them' }).click()
    const calls = form.getByRole('list', { name: 'Past calls that would be decided otherwise' })
    await until('the calls', async () => (await calls.getByRole('listitem').count()) === 6)
    expect((await calls.innerText()).replace(/\s+/g, ' ')).toMatch(/mail · send Ask → would become Allow You declined it/)
    expect(await inForce()).toMatchObject([reading, secret, others]) // nothing was saved
  })

  test('is asked of the rules as they are now, and says where a condition is wrong', async () => {
    const { screen, desk } = await opened(undefined, history, { expected: /422/ })
    const form = await screen.startEdit('Pattern read_*')
    await says(form, 'Would change none of 6 past calls')
    await request(desk.url, desk.token, 'DELETE', '/v1/rules/others')
    await fill(form, { 'Only if': 'input.i ==' })
    await says(form, /The condition is not right: .*syntax/i)
    await form.getByLabel('Only if', { exact: true }).press('Enter')
    await until('the field', async () => (await form.getByLabel('Only if', { exact: true }).getAttribute('aria-invalid')) === 'true')
    await fill(form, { 'Only if': 'input.i == 1' })
    await says(form, 'Would change 3 of 6 past calls: 2 would ask, 1 would be denied')
    await form.getByLabel('Only if', { exact: true }).press('Enter')
    await screen.row('Only if i is 1').waitFor()
  })

  test('stands in the question before a rule is deleted; Undo brings it back exactly', async () => {
    const whole = { ...reading, condition: 'input.i < 9', expiresAt: '2099-05-06T07:08:09.123Z', note: 'mine', examples: [{ serverId: 'filesystem', toolName: 'read_file', input: { i: 1 }, decision: 'allow' }] } as const
    const { page, screen, inForce } = await opened([whole, others], async (setting) => {
      for (let i = 0; i < 3; i++) await past(setting, 'filesystem', 'read_file', numbered(i))
    })
    const before = await inForce()
    await screen.row('Pattern read_*').getByRole('button', { name: /^Delete/ }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete this rule?' })
    await says(question, '3 past calls would ask instead of being allowed')
    await question.getByRole('button', { name: 'Delete the rule' }).click()
    await until('it is gone', async () => (await inForce()).length === 1)
    await until('the focus', () => page.getByRole('group', { name: /^Deleted/ }).evaluate((bar) => bar === document.activeElement))
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Undo')
    await page.keyboard.press('Enter')
    await until('it is back', async () => (await inForce()).length === 2)
    const unchanging = (rules: RuleInput[]) => rules.map((rule) => ({ ...rule, updatedAt: '', hits: 0, lastHitAt: null })) // it is counted anew
    expect(unchanging(await inForce())).toEqual(unchanging(before))
    await until('the focus', () => screen.row('Pattern read_*').evaluate((row) => row.contains(document.activeElement)))
  })
})

describe('what is odd about rules', () => {
  test('stands at the rule with a way to the other one, and at the one being written', async () => {
    const { page, screen } = await opened([reading, secret, { id: 'twin', serverId: 'filesystem', toolPattern: 'READ_*', effect: 'allow', priority: 5 }, { id: 'plain', serverId: 'git', toolPattern: 'status', effect: 'ask', priority: 5 }, others])
    await says(screen.row('read_secret'), 'Never decides: whenever it applies,')
    await says(screen.row(/READ_\*/), 'Says the same as')
    await says(screen.row('status'), 'The pattern has no *')
    await screen.row(/READ_\*/).getByRole('link', { name: /filesystem · read_\*/ }).click()
    await until('the other rule', () => screen.rows.first().evaluate((row) => row.contains(document.activeElement) && row.querySelector('[data-marked=true]') !== null))

    const form = await screen.startNew()
    await fill(form, { Priority: '200' }, 'Allow')
    await says(form, 'Allows every tool of every server without asking')
    await says(form, /1\. filesystem · read_\* would never decide/)
    await page.getByLabel('Never decides').check()
    await until('two rules', async () => (await screen.rows.count()) === 3)
    await says(page.getByRole('search'), '2 of 5 rules')
    await page.getByRole('button', { name: 'Clear' }).click()
    await until('all rules', async () => (await screen.rows.count()) === 6)
  })
})

describe('the tester', () => {
  test('gives the verdict of the gate itself, names the winner and says of each other why not; it follows the rules', async () => {
    const { page, screen, desk } = await opened([{ ...reading, condition: 'input.path.startsWith("/tmp/")' }, secret, { id: 'off', serverId: 'filesystem', effect: 'allow', priority: 50, enabled: false }, others])
    const tester = await screen.openPanel(/^Try a call/, 'Try a call')
    await says(tester, 'Name a tool')
    await fill(tester, { Server: 'filesystem', 'Tool name': 'read_secret', Input: '{"path":"/tmp/x"}' })
    await says(tester, /decided by rule/)
    const verdict = async () => (await tester.getByRole('status').innerText()).replace(/\s+/g, ' ')
    await until('allowed', async () => (await verdict()).startsWith('Allow decided by rule 1. filesystem · read_*'))
    const trace = async () => (await tester.getByRole('list', { name: 'Why each rule applied or not' }).getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(await trace()).toEqual([
      'Allow 1. filesystem · read_* decides',
      'Deny 2. filesystem · read_secret would apply, but a rule above decides',
      'Allow 3. filesystem · every tool is off',
      'Ask 4. any server · every tool would apply, but a rule above decides',
    ])
    await fill(tester, { Input: '{"path":"/etc/x"}' })
    await until('denied', async () => (await verdict()).startsWith('Deny decided by rule 2.'))
    expect((await trace())[0]).toBe('Allow 1. filesystem · read_* its condition is false')
    await says(tester, 'Secrets stay here.')
    await fill(tester, { Input: '{"path":\n  oops}' })
    await says(tester, 'Not JSON: line 2, column 3')
    expect(await tester.getByRole('status').count()).toBe(0)
    await fill(tester, { Input: '{"path":"/etc/x"}' })
    await until('denied', async () => (await verdict()).startsWith('Deny'))
    await request(desk.url, desk.token, 'DELETE', '/v1/rules/secret')
    await until('asked', async () => (await verdict()).startsWith('Ask decided by rule 3.'))
    await tester.getByRole('link', { name: /any server/ }).first().click()
    await until('the rule', () => screen.rows.nth(2).evaluate((row) => row.contains(document.activeElement)))
    expect(await page.evaluate(() => window.location.hash)).toBe('#/rules')
  })

  test('is opened with a past call by its address', async () => {
    const odd = '{"to": "x", "n": 9007199254740993, "m": 5.0}'
    const { page, ...setting } = await opened()
    const call = await past(setting, 'mail', 'send', odd)
    await setting.desk.decide(call, false, 'no')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.evaluate((id) => {
      window.location.hash = `#/rules?test=${id}`
    }, call.id)
    const tester = page.getByRole('region', { name: 'Try a call' })
    await until('the tool', async () => (await tester.getByLabel('Tool name').inputValue()) === 'send')
    expect(await tester.getByLabel('Input', { exact: true }).inputValue()).toBe(odd)
    await says(tester, 'decided by rule')
    await tester.getByText('Where it comes from').click()
    expect(await tester.getByRole('combobox', { name: 'Agent' }).innerText()).toBe('scribe')
    expect(await tester.getByLabel('Folder').inputValue()).toBe('/srv')
    expect(await tester.getByLabel('Session').inputValue()).toBe('past')
  })
})

test('equal answers again and again are offered as a rule, which is opened as a draft', async () => {
  const { screen, inForce } = await opened(undefined, async (setting) => {
    for (let i = 0; i < 3; i++) await setting.desk.decide(await past(setting, 'git', 'fetch', numbered(i)), true)
  })
  const panel = await screen.openPanel(/^1 suggestion/, 'Suggestions')
  await says(panel, /You approved fetch on git 3 times and never declined/)
  await says(panel, /past calls: 3 · approved: 3/)
  await says(panel, 'Would change 3 of 3 past calls: 3 would be allowed')
  await panel.getByRole('button', { name: 'Open as a draft' }).click()
  const form = screen.form('New rule')
  expect(await form.getByLabel('Tool name').inputValue()).toBe('fetch')
  expect(await inForce()).toHaveLength(3)
  await form.getByRole('button', { name: 'Save' }).click()
  await screen.row('fetch').waitFor()
  expect(await inForce()).toMatchObject([reading, secret, { serverId: 'git', toolName: 'fetch', effect: 'allow' }, others])
})

describe('rules leave and come in', () => {
  test('as a file: what newly allows is ticked one by one, and it is all or nothing', async () => {
    const { data, page, screen, inForce, desk } = await opened(undefined, undefined, { expected: /412/ })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const path = join(data, 'out.json')
    await (await download).saveAs(path)
    const document = JSON.parse(readFileSync(path, 'utf8')) as { rules: RuleInput[] }
    expect(document.rules).toHaveLength(3)

    const changed = { ...document, rules: [{ ...document.rules[0], toolPattern: 'get_*' }, document.rules[1], { id: 'new', serverId: 'git', effect: 'allow', priority: 7 }] }
    writeFileSync(path, JSON.stringify(changed))
    const panel = await screen.openPanel(/^Import/, 'Import rules')
    await panel.getByLabel('Choose a file').setInputFiles(path)
    await says(panel, 'New: 1. Changed: 1. Removed: 0. The same: 1.')
    await panel.getByLabel('are replaced by these').check()
    await says(panel, 'New: 1. Changed: 1. Removed: 1. The same: 1.')
    const rows = panel.getByRole('list', { name: 'What the import changes' }).getByRole('listitem')
    expect((await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^New Allow Server git every tool Priority 7 I agree/),
      expect.stringMatching(/^Changed Now Allow Server filesystem Pattern read_\* Priority 100 Then Allow Server filesystem Pattern get_\* Priority 100 I agree/),
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

  test('as pasted text: what is no document of rules is explained', async () => {
    const { screen } = await opened(undefined, undefined, { expected: /422/ })
    const panel = await screen.openPanel(/^Import/, 'Import rules')
    const paste = panel.getByLabel('Or paste the document')
    await paste.fill('{"rules": [}')
    await says(panel, 'Not JSON: line 1, column 12')
    await paste.fill('{"format":"other","version":1,"rules":[]}')
    await says(panel, /The desk says: format:/)
    await paste.fill('{"format":"sekisho.rules","version":1,"rules":[{"id":"a","effect":"perhaps"}]}')
    await says(panel, /The desk says: rules\[0\]\.effect:/)
    expect(await panel.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
  })
})

describe('no fault that a machine can find', () => {
  test.each(['light', 'dark'] as const)('in the %s scheme: the list, a form, each panel, a search and the undo', async (colorScheme) => {
    const { page, screen } = await opened([reading, secret, { id: 'over', serverId: 'git', effect: 'allow', expiresAt: '2020-01-01T00:00:00.000Z' }, others], async (setting) => {
      for (let i = 0; i < 3; i++) await setting.desk.decide(await past(setting, 'git', 'fetch', numbered(i)), false, 'no')
      await past(setting, 'filesystem', 'read_file')
    }, { colorScheme, bypassCSP: true, reducedMotion: 'reduce' })
    const found: string[] = []
    const check = async (where: string) => {
      found.push(...(await faults(page)).map((fault) => `${where}: ${fault}`))
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
    await panel.getByLabel('Or paste the document').fill(JSON.stringify({ format: 'sekisho.rules', version: 1, rules: [{ ...reading, toolPattern: '*' }] }))
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
})

async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  return found.violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`))
}

describe('what can pass', () => {
  const git: RuleInput = { id: 'git', serverId: 'shell', effect: 'allow', priority: 50, condition: 'shell(input.command).names.all(n, n in ["git log", "git push"])' }

  test('is shown with an example that the tester allows, and that nothing can be said to pass when it cannot', async () => {
    const { page, screen } = await opened([git, others])
    await page.getByRole('button', { name: 'What can pass?' }).click()
    const panel = page.getByRole('region', { name: 'What can pass?' })
    await panel.getByLabel('Commands in the line').fill('git push')
    await says(panel, 'Can pass')
    await says(panel, '{"command":"git push"}')
    await panel.getByLabel('Commands in the line').fill('rm')
    await says(panel, 'No rule lets such a call pass, whatever its input.')
    await panel.getByLabel('Commands in the line').fill('git push')
    await panel.getByRole('button', { name: 'Try this call' }).click()
    const tester = page.getByRole('region', { name: 'Try a call' })
    await says(tester, /decided by rule 1/)
    await screen.row('Nothing matched').waitFor()
  })

  test('by a condition on a piece of a path is named, and the safe form opens in the editor', async () => {
    const { page, inForce } = await opened([{ ...reading, condition: 'input.path.startsWith("/home/me/app")' }, others])
    await says(page.locator('[data-rule=reading]'), '/home/me/app-secret/example')
    await page.getByRole('button', { name: 'Write it safely' }).click()
    const form = page.getByRole('form', { name: 'Edit the rule' })
    expect(await form.getByLabel('Only if').inputValue()).toBe('under(input.path, "/home/me/app")')
    await says(form, /that was not allowed before/)
    expect((await inForce())[0]?.condition).toBe('input.path.startsWith("/home/me/app")')
  })
})

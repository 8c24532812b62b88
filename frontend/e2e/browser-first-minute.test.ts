import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { aBrowser, openDeskPage, type PageOptions } from './harness/browser'
import { Child } from './harness/child'
import { Desk } from './harness/desk'
import { ApprovalDialog } from './harness/dialog'
import { faults } from './harness/faults'
import { request } from './harness/operator'
import { fileServer, program, scratch } from './harness/paths'
import { until } from './harness/wait'

const browser = aBrowser()
const pictures = resolve(import.meta.dirname, '../../build/first-minute')

/** A fresh desk whose user has Claude Code and Codex, each with a server of tools, in a home folder of its own. */
async function setUp({ apps = true } = {}) {
  const place = scratch()
  onTestFinished(place.remove)
  const home = place.path
  const work = join(home, 'work')
  const files = {
    '.claude.json': JSON.stringify({ mcpServers: { files: { type: 'stdio', command: process.execPath, args: [fileServer(), work], env: {} } } }, null, 2),
    '.claude/settings.json': '{}',
    '.codex/config.toml': `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fileServer())}, ${JSON.stringify(work)}]\n`,
  }
  mkdirSync(work)
  for (const [name, text] of Object.entries(apps ? files : {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local/share'), XDG_RUNTIME_DIR: '', APPDATA: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '', OPENCODE_CONFIG: '' }
  const token = `operator-${randomUUID()}`
  const child = new Child(program('sekishod'), ['--listen', '127.0.0.1:0', '--operator-token-file', '/dev/fd/3'], { secret: token, env })
  onTestFinished(() => child.end())
  const desk = new Desk(child, JSON.parse(await child.firstLine()) as Desk['ready'], token)
  /** Starts what was written for a server of Claude Code, as it does, and speaks to it as it does. */
  const claudeCode = async () => {
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')) as { mcpServers: Record<string, { command: string; args: string[]; env?: Record<string, string> }> }
    const entry = mcpServers.files
    if (!entry) throw new Error('the entry is gone')
    const client = new Client({ name: 'claude-code', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command: entry.command, args: entry.args, env: { PATH: process.env.PATH ?? '', ...env, ...entry.env }, stderr: 'ignore' }))
    onTestFinished(() => client.close())
    return client
  }
  return { claudeCode, desk, home, visit: (options: PageOptions = {}) => openDeskPage(browser(), desk, options), work }
}

/** Counts the person's clicks on a page from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { clicks: number }
    counted.clicks = 0
    document.addEventListener('click', () => counted.clicks++, { capture: true })
  })
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks)
}

const ticks = (page: Page) => page.getByRole('list', { name: 'How far Claude Code came' }).getByRole('listitem').allTextContents()
const ticked = (...done: string[]) => ['Found', 'Connected', 'Spoke to the desk', 'First call came'].map((step) => (done.includes(step) ? `${step} done` : step))

/** Waits until these steps are ticked, and no other. */
const untilTicked = (page: Page, ...done: string[]) =>
  until(`the steps ${done.join(', ')}`, async () => (await ticks(page)).join() === ticked(...done).join())

test('from a fresh desk to the first call in two clicks, and to the first rule in four, without a document', async () => {
  const { claudeCode, desk, visit, work } = await setUp()
  const page = await visit({ viewport: { width: 1280, height: 900 } })
  const clicks = await countClicks(page)
  mkdirSync(pictures, { recursive: true })
  const picture = (name: string) => page.screenshot({ path: join(pictures, `${name}.png`) })

  const found = page.getByRole('region', { name: `Found on ${hostname()}` })
  await found.getByText('Codex', { exact: true }).waitFor()
  expect(await found.innerText()).toMatch(/Claude Code\s+Without asking the desk it can today: run commands, change files, and call MCP servers past the desk/)
  expect(await page.getByRole('list', { name: /^How far/ }).count()).toBe(0)
  await picture('1-found')

  await found.getByRole('button', { name: 'Connect Claude Code…' }).click()
  const panel = page.getByRole('region', { name: 'What connecting Claude Code changes' })
  expect(await panel.innerText()).toMatch(/\.claude\.json[^]*"--server"[^]*settings\.json[^]*PreToolUse/)
  await picture('2-difference')

  await panel.getByRole('button', { name: 'Connect Claude Code', exact: true }).click()
  await found.getByText(/^files: \d+ tools, starts in [\d.]+ s, the same behind the desk$/).waitFor()
  await found.getByText(/^Leave Claude Code with \/exit and start it again\./).waitFor()
  await untilTicked(page, 'Found', 'Connected') // that the desk tried what it wrote counts for nothing
  await picture('3-restart')

  expect((await request(desk.url, desk.token, 'POST', '/v1/demo')).status).toBeLessThan(300)
  const demo = await desk.firstPending()
  await page.getByRole('alertdialog').waitFor()
  await desk.decide(demo, true)
  await until('the greeting', async () => (await desk.call(demo.id)).status === 'completed')
  await page.getByRole('heading', { name: 'Welcome to the checkpoint' }).waitFor()
  await untilTicked(page, 'Found', 'Connected')

  const client = await claudeCode()
  await found.getByText(/^Claude Code is at the desk\. Ask it for something/).waitFor()
  await untilTicked(page, 'Found', 'Connected', 'Spoke to the desk')
  await picture('4-at-the-desk')

  const list = join(work, 'list.txt')
  writeFileSync(list, 'milk\n')
  const read = () => client.callTool({ name: 'read_text_file', arguments: { path: list } })
  const first = read()
  const dialog = await new ApprovalDialog(page, 'read_text_file').shown()
  await dialog.armed()
  await picture('5-first-call')
  expect(await desk.firstPending()).toMatchObject({ toolName: 'read_text_file', status: 'pending' })
  expect(await clicks()).toBe(2)

  await dialog.pressApprove()
  expect(JSON.stringify(await first)).toContain('milk')
  await page.getByRole('heading', { name: 'The first call was answered' }).waitFor()
  await page.getByText(/^Allow .*read_text_file/).waitFor()
  await untilTicked(page, 'Found', 'Connected', 'Spoke to the desk', 'First call came')
  expect(await page.getByRole('button').last().innerText()).toBe('Leave it')
  expect(await desk.rules()).toEqual([])
  await picture('6-first-rule')

  await page.getByRole('button', { name: 'Make this rule' }).click()
  await page.getByText(/^The rule is made/).waitFor()
  await picture('7-rule-made')
  expect(await clicks()).toBe(4)
  const [rule, ...more] = await desk.rules()
  expect(more).toEqual([])
  expect(rule).toMatchObject({ effect: 'allow', serverId: 'files' })
  expect(rule?.condition).toMatch(/risk [!=]= "(high|low)"/)
  expect(JSON.stringify(await read())).toContain('milk')
  expect(await desk.calls('pending')).toEqual([])
  const write = client.callTool({ name: 'write_file', arguments: { path: list, content: 'bread\n' } })
  await desk.decide(await desk.firstPending(), false) // what is of high risk waits still
  expect((await write).isError).toBe(true)
})

test('the first minute is walked with the keyboard alone, and a rule that is left is not offered again', async () => {
  const { claudeCode, desk, visit, work } = await setUp()
  const page = await visit({ viewport: { width: 560, height: 420 } })
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  /** Presses Tab until the element with a name has the focus. */
  const tabTo = async (name: string) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      if (await page.getByRole('button', { name, exact: true }).evaluate((button) => button === document.activeElement)) return
    }
    throw new Error(`${name} is not reached by Tab`)
  }
  await page.getByRole('button', { name: 'Connect Claude Code…' }).waitFor()
  await tabTo('Connect Claude Code…')
  await page.keyboard.press('Enter')
  expect(await focused()).toBe('What connecting Claude Code changes')
  await tabTo('Cancel')
  await page.keyboard.press('Enter')
  expect(await focused()).toMatch(/^\s*Connect…/)
  await page.keyboard.press('Enter')
  await tabTo('Connect Claude Code')
  await page.keyboard.press('Enter')
  await until('the outcome to have the focus', async () => (await focused()).includes('behind the desk now'))
  const client = await claudeCode()
  await untilTicked(page, 'Found', 'Connected', 'Spoke to the desk')
  const call = client.callTool({ name: 'list_directory', arguments: { path: work } })
  const dialog = await new ApprovalDialog(page, 'list_directory').shown()
  await dialog.box.getByRole('checkbox', { name: 'I have not read all of it' }).press('Space') // the window is low
  await dialog.armed()
  await page.keyboard.press('Control+Enter')
  expect((await call).isError).not.toBe(true)
  await page.getByRole('button', { name: 'Leave it' }).waitFor()
  await tabTo('Leave it')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing is waiting').waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  expect(await desk.rules()).toEqual([])
  await page.reload()
  await page.getByText('Nothing is waiting').waitFor()
})

test('a computer without a known app is told so, with the way by hand', async () => {
  const { visit } = await setUp({ apps: false })
  const page = await visit()
  await page.getByText(/^No app that the desk knows was found/).waitFor()
  await page.getByRole('heading', { name: 'Welcome to the checkpoint' }).locator('xpath=ancestor::section').getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('button', { name: 'Create an agent' }).waitFor()
})

const looks: [string, PageOptions][] = [
  ['light', { locale: 'en-US', viewport: { width: 1280, height: 900 } }],
  ['dark', { locale: 'ja-JP', colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
  ['small', { locale: 'ru-RU', viewport: { width: 560, height: 420 } }],
  ['small and dark', { locale: 'zh-TW', colorScheme: 'dark', viewport: { width: 560, height: 420 } }],
]

test('its last button is in view, and it has no faults that a machine can find', async () => {
  const { visit } = await setUp()
  for (const [name, options] of looks) {
    const page = await visit({ ...options, bypassCSP: true })
    const found = page.locator('#found-title').locator('xpath=ancestor::section[1]')
    await found.getByRole('button').first().waitFor()
    const inView = async (what: string) => {
      const last = await page.getByRole('main').getByRole('button').last().boundingBox()
      expect(last && last.y + last.height, `${name}: ${what}`).toBeLessThanOrEqual(options.viewport?.height ?? 0)
      expect(await faults(page), `${name}: ${what}`).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), name).toBeLessThanOrEqual(0)
    }
    await inView('welcome')
    for (const summary of await found.locator('summary').all()) await summary.click()
    await found.getByRole('button').last().click()
    const answers = found.locator('section').getByRole('button')
    await answers.last().waitFor()
    const yes = await answers.last().boundingBox()
    expect(yes && yes.y + yes.height, name).toBeLessThanOrEqual(options.viewport?.height ?? 0)
    expect(await faults(page), `${name}: panel`).toEqual([])
  }
})

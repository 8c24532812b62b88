import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { aBrowser, openDeskPage, type PageOptions } from './harness/browser'
import { Child } from './harness/child'
import { Desk } from './harness/desk'
import { ApprovalDialog } from './harness/dialog'
import { faults } from './harness/faults'
import { request } from './harness/operator'
import { fileServer, program, scratch } from './harness/paths'
import { speak } from './harness/speak'
import { until } from './harness/wait'

const browser = aBrowser()

/** A fresh desk whose user has Claude Code and Codex, each with a server of tools, in a home folder of its own. */
async function setUp() {
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
  for (const [name, text] of Object.entries(files)) {
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

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

/** Presses Tab until the button with a name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab')
    if (await page.getByRole('button', { name, exact: true }).evaluate((button) => button === document.activeElement)) return
  }
  throw new Error(`${name} is not reached by Tab`)
}

test('from a fresh desk to the first call in two clicks, to the first rule in four, by the keyboard and without a document', async () => {
  const { claudeCode, desk, visit, work } = await setUp()
  const page = await visit({ viewport: { width: 1280, height: 900 } })
  const clicks = await countClicks(page)

  const found = page.getByRole('region', { name: `Found on ${hostname()}` })
  await found.getByText('Codex', { exact: true }).waitFor()
  expect(await found.innerText()).toMatch(/Claude Code\s+Without asking the desk it can today: run commands, change files, and call MCP servers past the desk/)
  expect(await page.getByRole('list', { name: /^How far/ }).count()).toBe(0)

  // By the keyboard, of which each Enter counts as a click.
  await tabTo(page, 'Connect Claude Code…')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'What connecting Claude Code changes' })
  expect(await panel.innerText()).toMatch(/\.claude\.json[^]*"--server"[^]*settings\.json[^]*PreToolUse/)
  expect(await focused(page)).toBe('What connecting Claude Code changes')

  await tabTo(page, 'Connect Claude Code')
  await page.keyboard.press('Enter')
  await until('the outcome to have the focus', async () => (await focused(page)).includes('behind the desk now'))
  await found.getByText(/^files: \d+ tools, starts in [\d.]+ s, the same behind the desk$/).waitFor()
  await found.getByText(/^Leave Claude Code with \/exit and start it again\./).waitFor()
  await untilTicked(page, 'Found', 'Connected') // that the desk tried what it wrote counts for nothing

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

  const list = join(work, 'list.txt')
  writeFileSync(list, 'milk\n')
  const read = () => client.callTool({ name: 'read_text_file', arguments: { path: list } })
  const first = read()
  const dialog = await new ApprovalDialog(page, 'read_text_file').shown()
  await dialog.armed()
  expect(await desk.firstPending()).toMatchObject({ toolName: 'read_text_file', status: 'pending' })
  expect(await clicks()).toBe(2)

  await dialog.pressApprove()
  expect(JSON.stringify(await first)).toContain('milk')
  await page.getByRole('heading', { name: 'The first call was answered' }).waitFor()
  await page.getByText(/^Allow .*read_text_file/).waitFor()
  await untilTicked(page, 'Found', 'Connected', 'Spoke to the desk', 'First call came')
  expect(await page.getByRole('button').last().innerText()).toBe('Leave it')
  expect(await desk.rules()).toEqual([])

  await tabTo(page, 'Make this rule')
  await page.keyboard.press('Enter')
  await page.getByText(/^The rule is made/).waitFor()
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

const [large, small] = [{ width: 1280, height: 900 }, { width: 560, height: 420 }]
const looks = [['en', 'light', large], ['ja', 'dark', large], ['ru', 'light', small], ['zh-TW', 'dark', small]] as const

test('its last button is in view, and it has no faults that a machine can find', async () => {
  const { visit } = await setUp()
  const page = await visit({ viewport: large, bypassCSP: true, reducedMotion: 'reduce' })
  for (const [language, colorScheme, size] of looks) {
    await page.setViewportSize(large)
    await speak(page, language)
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    const found = page.locator('#found-title').locator('xpath=ancestor::section[1]')
    await found.getByRole('button').first().waitFor()
    const inView = async (last: Locator) => {
      const box = await last.boundingBox()
      expect(box && box.y + box.height, language).toBeLessThanOrEqual(size.height)
      expect(await faults(page), language).toEqual([])
    }
    await inView(page.getByRole('main').getByRole('button').last())
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), language).toBeLessThanOrEqual(0)
    for (const summary of await found.locator('summary').all()) await summary.click()
    await found.getByRole('button').last().click()
    const answers = found.locator('section').getByRole('button')
    await answers.last().waitFor()
    await inView(answers.last())
  }
})

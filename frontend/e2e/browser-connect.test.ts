import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { aBrowser, openDeskPage, type PageOptions } from './harness/browser'
import { Child } from './harness/child'
import { Desk } from './harness/desk'
import { faults } from './harness/faults'
import { request } from './harness/operator'
import { fileServer, program, scratch } from './harness/paths'
import { languages, speak } from './harness/speak'

const browser = aBrowser()

/** As a person would write it: comments, odd blanks, a line end of another system, a trailing comma, and no end of the last line. */
const cursorText = `// my servers
{
  "mcpServers": {
    "notes": { "command": "${process.execPath}", "args": ["${fileServer()}", "${tmpdir()}"],   "env": { "KEY": "topsecret" } },\r
    /* not a program */
    "odd": {},
    "web":    {
      "url": "http://127.0.0.1:9/mcp",
    },
  },
}`
const codexText = `model = "x"\n\n[mcp_servers.notes]\ncommand = "${process.execPath}" # loud\nargs = ["other.js"]\n`

/** A desk whose user has a home folder of its own, with the files of two apps. */
async function setUp() {
  const place = scratch()
  onTestFinished(place.remove)
  const home = place.path
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local/share'), PAGE_TOKEN: 'from the shell', XDG_RUNTIME_DIR: '', APPDATA: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '', OPENCODE_CONFIG: '' }
  const file = (name: string) => ({
    read: () => readFileSync(join(home, name), 'utf8'),
    write: (text: string) => {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text)
    },
  })
  const [cursor, codex] = [file('.cursor/mcp.json'), file('.codex/config.toml')]
  cursor.write(cursorText)
  codex.write(codexText)
  const token = `operator-${randomUUID()}`
  const child = new Child(program('sekishod'), ['--listen', '127.0.0.1:0', '--operator-token-file', '/dev/fd/3'], { secret: token, env })
  onTestFinished(() => child.end())
  const desk = new Desk(child, JSON.parse(await child.firstLine()) as Desk['ready'], token)
  const list = async () => (await request(desk.url, token, 'GET', '/v1/servers')).body.servers as { id: string; env: object }[]
  const servers = async () => (await list()).map(({ id }) => id)
  /** The environment that the first server has of its own, as it is shown. */
  const carried = async () => (await list())[0]?.env
  const visit = async (options: PageOptions = {}) => {
    const page = await openDeskPage(browser(), desk, options)
    await page.evaluate(() => {
      window.location.hash = '#/agents'
    })
    return page
  }
  return { carried, desk, home, cursor, codex, servers, visit }
}

test('an app is connected from the page with the keyboard, and put back byte for byte', async () => {
  const { carried, desk, home, cursor, codex, servers, visit } = await setUp()
  const page = await visit()
  const apps = page.getByRole('region', { name: `Apps on ${hostname()}` })
  await apps.getByText(`The files are those of ${hostname()}`).waitFor()
  await apps.getByRole('button', { name: 'Connect Cursor…' }).press('Enter')
  const panel = page.getByRole('region', { name: 'What connecting Cursor changes' })
  await panel.waitFor()
  const shown = await panel.innerText()
  expect(shown).toContain('"KEY": "********"')
  expect(shown).toMatch(/"--server", "notes", "--agent", "cursor"/)
  expect(cursor.read()).toBe(cursorText) // it was only shown
  expect(existsSync(join(home, '.local/share/sekisho/connect'))).toBe(false)

  await panel.getByRole('checkbox', { name: 'PAGE_TOKEN' }).press('Space')
  await panel.getByRole('checkbox', { name: 'PAGE_TOKEN', checked: true, disabled: false }).waitFor() // the desk has answered
  await panel.getByRole('button', { name: 'Connect Cursor', exact: true }).press('Enter')
  await panel.getByText('These do not start even without the desk:').waitFor()
  expect(await panel.getByRole('alert').innerText()).toMatch(/web: .*connection refused/)
  expect(cursor.read()).toBe(cursorText)
  await panel.getByRole('button', { name: 'Connect Cursor all the same' }).press('Enter')
  await apps.getByText('2 tool servers of Cursor are behind the desk now. Restart Cursor to use them.').waitFor()
  await apps.getByText(/^notes: \d+ tools, starts in [\d.]+ s, the same behind the desk$/).waitFor()
  expect(await carried()).toEqual({ KEY: '********', PAGE_TOKEN: '********' })
  const connected = cursor.read()
  expect(connected).toContain(JSON.stringify(program('sekisho')))
  expect(connected).not.toContain('topsecret')
  expect(connected).not.toContain('from the shell')
  for (const kept of ['// my servers', '/* not a program */', '"odd": {}']) expect(connected).toContain(kept)
  expect(codex.read()).toBe(codexText)
  expect(await servers()).toEqual(['notes', 'web'])
  await page.getByRole('button', { name: 'Revoke cursor' }).waitFor() // its agent

  await apps.getByRole('button', { name: 'Disconnect Cursor…' }).press('Enter')
  await page.getByText('It will be as it was before, byte for byte.').waitFor()
  await page.getByRole('button', { name: 'Put Cursor back', exact: true }).press('Enter')
  await apps.getByText('The file of Cursor is put back. Restart Cursor to use it.').waitFor()
  expect(cursor.read()).toBe(cursorText)
  expect(await servers()).toEqual([])
  expect(await desk.journalKinds()).toContain('servers.changed')
})

test('in each language, in both themes and in a narrow window it has no faults that a machine can find, and fits', async () => {
  const { codex, visit } = await setUp()
  codex.write('')
  const page = await visit({ bypassCSP: true, reducedMotion: 'reduce' })
  const [wide, narrow] = [{ width: 1000, height: 720 }, { width: 420, height: 640 }]
  for (const [n, language] of languages.entries()) {
    await page.setViewportSize(wide)
    await speak(page, language)
    await page.emulateMedia({ colorScheme: n % 2 === 0 ? 'light' : 'dark' })
    const toggles = page.locator('#apps-title').locator('xpath=ancestor::section').getByRole('button')
    await toggles.first().waitFor()
    for (let i = 0; i < (await toggles.count()); i++) if ((await toggles.nth(i).getAttribute('aria-expanded')) === 'false') await toggles.nth(i).click()
    if (n < 2) expect(await faults(page), language).toEqual([])
    await page.setViewportSize(narrow)
    if (n >= 2) expect(await faults(page), language).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), language).toBeLessThanOrEqual(0)
  }
})

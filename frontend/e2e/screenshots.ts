/** Pictures of the desk: two for the README in docs/, the others in a folder to look at. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { openDeskPage, openPage, aBrowser, type PageOptions } from './harness/browser'
import { setUp, type Setting } from './harness/fixtures'
import { request, type SeenCall } from './harness/operator'
import { inDocs } from './harness/paths'
import { pause } from './harness/wait'

const browser = aBrowser()
const album = process.env.ALBUM ?? join(tmpdir(), 'sekisho-screenshots')
mkdirSync(album, { recursive: true })
mkdirSync(inDocs(''), { recursive: true })

const rules = [
  { id: 'reading-is-fine', serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow', priority: 100 },
  { id: 'deleting-is-asked', serverId: 'filesystem', toolPattern: 'delete_*', effect: 'ask', priority: 100 },
  { id: 'commands-are-asked', serverId: 'shell', toolName: 'execute_command', effect: 'ask', priority: 50 },
  { id: 'no-pushes', serverId: 'git', toolName: 'push', effect: 'deny', priority: 50, note: 'Pushing is done by hand.' },
  { id: 'weather', serverId: 'weather-server', effect: 'allow', priority: 10 },
  { id: 'all-else-is-asked', effect: 'ask', priority: 0 },
] as const

const poem = { path: '/home/mio/notes/basho.md', content: '# 古池\n\nfuru ike ya\nkawazu tobikomu\nmizu no oto\n', overwrite: false }
const trick = { path: 'report\u202etxt.exe', note: '<b>safe</b>', amount: 1_000_000, flags: [true, null, 5.0] }

async function ask(setting: Setting, id: string, serverId: string, toolName: string, input: unknown): Promise<void> {
  await request(setting.desk.url, setting.agentToken, 'POST', '/v1/calls', { runId: 'spring-notes', toolCallId: id, serverId, toolName, input, cwd: '/home/mio/notes' })
}

async function waits(setting: Setting, id: string, serverId: string, toolName: string, input: unknown): Promise<SeenCall> {
  await ask(setting, id, serverId, toolName, input)
  return setting.desk.firstPending()
}

async function show(setting: Setting, options: PageOptions, screen: string): Promise<Page> {
  const page = await openDeskPage(browser(), setting.desk, options)
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, `#/${screen}`)
  await pause(600)
  return page
}

const commands = 'cd ~/notes && git log --oneline -n 3 | tee /tmp/log.txt; rm -rf "$TMPDIR"/cache > /dev/null'

test('the pictures of the README', async () => {
  const setting = await setUp(rules)
  const options = { colorScheme: 'light', deviceScaleFactor: 1.5 } as const
  const old = join(setting.files, 'basho.md')
  writeFileSync(old, '# Bashō\n\nThe old pond;\na frog jumps in.\n')
  await (await show(setting, options, 'rules')).screenshot({ path: inDocs('rules.png') })

  const asked = await waits(setting, '1', 'filesystem', 'write_file', { path: old, content: '# 古池\n\nThe old pond;\na frog jumps in:\nthe sound of water.\n' })
  const page = await show(setting, options, 'waiting')
  await pause(1_500)
  await page.screenshot({ path: inDocs('approval.png') })
  await page.getByRole('button', { name: /^Always/ }).click()
  await pause(800)
  await page.screenshot({ path: inDocs('always.png') })
  await setting.desk.decide(asked, true)

  const command = await waits(setting, '2', 'shell', 'execute_command', { command: commands })
  const dark = await show(setting, { ...options, colorScheme: 'dark', locale: 'ja-JP' }, 'waiting')
  await pause(1_500)
  await dark.screenshot({ path: inDocs('command-ja.png') })
  await setting.desk.decide(command, false, 'Not while the build runs.')
  await (await show(setting, options, 'activity')).screenshot({ path: inDocs('activity.png') })
  await (await show(setting, options, `rules?test=${command.id}`)).screenshot({ path: inDocs('tester.png') })
})

const looks: [string, PageOptions][] = [
  ['en-light', { locale: 'en-US' }],
  ['en-dark', { locale: 'en-US', colorScheme: 'dark' }],
  ['ja', { locale: 'ja-JP' }],
  ['zh-tw', { locale: 'zh-TW' }],
  ['ru', { locale: 'ru-RU' }],
  ['ja-dark', { locale: 'ja-JP', colorScheme: 'dark' }],
  ['narrow-en', { locale: 'en-US', viewport: { width: 560, height: 420 } }],
  ['narrow-ru', { locale: 'ru-RU', viewport: { width: 560, height: 420 } }],
]

test.each(looks)('an album: %s', async (name, options) => {
  const setting = await setUp(rules)
  const picture = (what: string) => ({ path: join(album, `${name}-${what}.png`) })
  await (await openPage(browser(), setting.desk.url, options)).screenshot(picture('sign-in'))
  await ask(setting, '0', 'weather-server', 'get_forecast', { city: 'Kyoto' })
  await ask(setting, '0b', 'git', 'push', { branch: 'main' })
  const page = await show(setting, options, 'rules')
  await page.screenshot(picture('rules'))
  await page.locator('button[class*=strong]').first().click()
  await page.screenshot(picture('rule-form'))
  for (const screen of ['waiting', 'activity', 'servers', 'agents']) await (await show(setting, options, screen)).screenshot(picture(screen))
  await ask(setting, '1', 'filesystem', 'write_file', poem)
  await ask(setting, '2', 'filesystem', 'delete\u200b_file', trick)
  const desk = await show(setting, options, 'rules')
  await pause(900)
  await desk.screenshot(picture('dialog'))
  await desk.keyboard.press('Escape')
  await pause(300)
  await desk.screenshot(picture('put-off'))
  await (await show(setting, options, 'waiting')).keyboard.press('Escape')
  await desk.evaluate(() => {
    window.location.hash = '#/waiting'
  })
  await pause(300)
  await desk.screenshot(picture('queue'))
  await desk.locator('main li button').nth(1).click()
  await pause(900)
  await desk.screenshot(picture('tricky-dialog'))
})

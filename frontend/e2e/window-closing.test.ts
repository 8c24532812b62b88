import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibleTree, click, press, seen } from './harness/accessibility'
import { openWindow, pageOf, prepare, runs } from './harness/desktop'
import { startServices } from './harness/desktop-services'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

// The window whose forms are opened, that is closed, told to end, and put off the screen.
let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

test('no form takes the page with it while assistive technology listens', async () => {
  const { data } = await prepare()
  const { child } = await openWindow(session, data)
  await seen(session, /./, 'Rules')
  const before = await until('the page', () => pageOf(child.pid))
  await session.run('xdotool', 'windowactivate', '--sync', await session.window('Sekisho'))
  const opener = async (screen: string, words: string) => {
    await click(session, screen, 'link')
    return (await until(words, async () => (await accessibleTree(session)).find((o) => o.role.includes('button') && o.name.startsWith(words) && o.enabled))).name
  }
  const forms: [screen: string, opener: string, inside: string][] = [
    ['Rules', 'Edit the rule', 'Edit the rule'],
    ['Rules', 'Add a rule', 'New rule'],
    ['Rules', 'Try a call', 'Try a call'],
    ['Servers', 'Edit', 'Arguments'],
    ['Servers', 'Add a server', 'Arguments'],
  ]
  for (const round of [1, 2]) {
    for (const [screen, words] of forms) {
      await click(session, await opener(screen, words))
      await pause(400)
      if (round === 2) await session.keys('a')
      await pause(200)
      await session.keys('Escape')
      await pause(600)
      expect(runs(before), `after ${words}`).toBe(true)
    }
  }
  for (const [screen, field] of [['Settings', 'Seconds'], ['Agents', 'Name']] as const) {
    await click(session, screen, 'link')
    const entry = await until(field, async () => (await accessibleTree(session)).find((o) => /entry|text/.test(o.role) && o.name.includes(field)))
    await click(session, entry.name, 'entry')
    await session.keys('1', 'Escape')
    await click(session, 'Rules', 'link')
    await pause(600)
    expect(runs(before), `after ${screen}`).toBe(true)
  }
})

describe('closing the window', () => {
  test('while calls wait asks first where there is no tray, and says what ends', async () => {
    const { data, agentToken } = await prepare()
    const { child, place } = await openWindow(session, data)
    await ask(place.url, agentToken, 'launch')
    await ask(place.url, agentToken, 'land')
    await seen(session, /alert|dialog/, 'wants to run')
    await session.close('Sekisho')
    const said = async () => (await accessibleTree(session)).map(({ name, text }) => `${name} ${text}`).join('\n')
    await until('the question', async () => (await said()).includes('2 calls wait for you. They are kept.'))
    expect(await said()).toContain('Agents cannot work until Sekisho runs again.')
    await press(session, 'Keep it running')
    await pause(500)
    expect(child.running).toBe(true)
    await session.close('Sekisho')
    await press(session, 'Quit')
    expect(await child.ended(30_000)).toBe(0)
  })

  test('a desk that is told to end does so while it asks', async () => {
    const { data, agentToken } = await prepare()
    const { child, place } = await openWindow(session, data)
    await ask(place.url, agentToken, 'launch')
    await session.close('Sekisho')
    await seen(session, /button/, 'Keep it running')
    child.signal('SIGTERM')
    expect(await child.ended(30_000), child.stderr).toBe(0)
  })

  test('so does a desk that asks where to save, and whether to replace what is there', async () => {
    const { data, files } = await prepare()
    const there = join(files, 'there.jsonl')
    writeFileSync(there, 'kept')
    const { child } = await openWindow(session, data)
    await click(session, 'Activity', 'link')
    await click(session, 'Export the journal')
    await seen(session, /button/, 'Save')
    await session.keys('ctrl+a')
    await session.run('xdotool', 'type', there)
    await session.keys('Return')
    await seen(session, /button/, 'Replace')
    child.signal('SIGTERM')
    expect(await child.ended(30_000), child.stderr).toBe(0)
    expect(readFileSync(there, 'utf8')).toBe('kept')
  })

  test('goes to the tray without a setting, and explains that once for ever', async () => {
    const desktop = await startServices(session, 'tray')
    const { data } = await prepare()
    const gone = () => until('the window to go', async () => (await session.windows('Sekisho')).length === 0)
    const first = await openWindow(session, data)
    await desktop.item()
    await pause(500)
    await session.close('Sekisho')
    await press(session, 'Understood')
    await gone()
    expect(first.child.running).toBe(true)
    await first.child.end()
    const again = await openWindow(session, data)
    await pause(1_500)
    await session.close('Sekisho')
    await gone()
    expect(again.child.running).toBe(true)
  })
})

test('a window that lies mostly off the screen comes back onto it', async () => {
  const { data, agentToken } = await prepare()
  const { place } = await openWindow(session, data)
  const window = await session.window('Sekisho')
  const left = async () => Number(/X=(-?\d+)/.exec(await session.run('xdotool', 'getwindowgeometry', '--shell', window))?.[1])
  await session.run('xdotool', 'windowmove', window, '1200', '100')
  await until('the window to be off', async () => (await left()) > 1_000)
  await pause(500)
  await session.run('xdotool', 'windowminimize', '--sync', window)
  const { cancel } = await ask(place.url, agentToken, 'launch')
  await seen(session, /alert|dialog/, 'launch')
  await cancel()
  await until('the window to go', async () => (await session.windows('Sekisho')).length === 0)
  await session.run('xdotool', 'windowmap', window, 'windowactivate', window)
  await until('the window to be on the screen', async () => (await left()) <= 280)
})

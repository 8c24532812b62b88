import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibleTree, click, press, seen } from './harness/accessibility'
import { driveWindow, inDialog, openWindow, pageOf, placeOf, prepare, prepareWith, runs, startWindow } from './harness/desktop'
import { startServices, TrayItem } from './harness/desktop-services'
import { ask, request, type SeenCall } from './harness/operator'
import { pause, until } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

// The window whose page ends, that is closed while calls wait, and that loses what is
// around it: nothing of it is lost from sight without a word, and what ends does so in seconds.
let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

const page = (window: number) => until('the page', () => pageOf(window))
const closeWindow = () => session.close('Sekisho')

describe('a page that ends while calls wait', () => {
  test.each(['SIGKILL', 'SIGSTOP'] as const)('by %s is told of, and back within seconds', async (signal) => {
    const desktop = await startServices(session, 'notifications')
    const { data, agentToken } = await prepare()
    const { child, place } = await openWindow(session, data)
    const { cancel } = await ask(place.url, agentToken, 'launch')
    await seen(session, /alert|dialog/, 'launch')
    await session.run('xdotool', 'windowactivate', '--sync', await session.window('Sekisho'))
    await pause(1_500)
    expect(desktop.notices().filter(({ kind }) => kind === 'notify')).toHaveLength(0)
    const ended = await page(child.pid)
    process.kill(ended, signal)
    const since = Date.now()
    expect(await desktop.notice(1)).toMatchObject({ kind: 'notify', summary: 'Approval Needed: scribe' })
    // What hangs is asked every two seconds, and has three to answer.
    await until('another page', () => !runs(ended) && pageOf(child.pid) !== undefined)
    await seen(session, /alert|dialog/, 'launch')
    const away = Date.now() - since
    expect(away).toBeLessThan(signal === 'SIGKILL' ? 5_000 : 12_000)
    expect(((await request(place.url, agentToken, 'GET', '/v1/calls')).body.calls as SeenCall[]).map(({ status }) => status)).toEqual(['pending'])
    expect(await desktop.notice(2)).toMatchObject({ kind: 'close' })
    await cancel()
    await until('the word of it', async () => (await accessibleTree(session)).some(({ name, text }) => (name + text).includes('was loaded anew')))
  })

  test('takes neither a half-written reason nor an edit of a rule with it', async () => {
    const { data, agentToken } = await prepare()
    const { driver, place } = await driveWindow(session, data)
    await driver.click("//nav//a[contains(., 'Rules')]")
    await driver.click("//button[starts-with(@aria-label, 'Edit the rule')]")
    await driver.type("//form[@aria-label='Edit the rule']//input", 'half')
    const { cancel } = await ask(place.url, agentToken, 'launch')
    await driver.type(inDialog('launch').reason, 'not on a Fri')
    process.kill(await page(place.pid), 'SIGKILL')
    const reason = async () => (await accessibleTree(session)).some(({ text }) => text === 'not on a Fri')
    await until('the reason', reason)
    await cancel()
    await until('the edit', async () => (await accessibleTree(session)).some(({ text }) => text.includes('half')))
  })
})

describe('closing the window', () => {
  test('while calls wait asks first where there is no tray, and says what ends', async () => {
    const { data, agentToken } = await prepare()
    const { child, place } = await openWindow(session, data)
    await ask(place.url, agentToken, 'launch')
    await ask(place.url, agentToken, 'land')
    await seen(session, /alert|dialog/, 'wants to run')
    await closeWindow()
    const said = async () => (await accessibleTree(session)).map(({ name, text }) => `${name} ${text}`).join('\n')
    await until('the question', async () => (await said()).includes('2 calls wait for you. They are kept.'))
    expect(await said()).toContain('Agents cannot work until Sekisho runs again.')
    await press(session, 'Keep it running')
    await pause(500)
    expect(child.running).toBe(true)
    await closeWindow()
    await press(session, 'Quit')
    expect(await child.ended(5_000)).toBe(0)
  })

  test('a desk that is told to end does so while it asks', async () => {
    const { data, agentToken } = await prepare()
    const { child, place } = await openWindow(session, data)
    await ask(place.url, agentToken, 'launch')
    await closeWindow()
    await seen(session, /button/, 'Keep it running')
    child.signal('SIGTERM')
    expect(await child.ended(5_000), child.stderr).toBe(0)
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
    expect(await child.ended(5_000), child.stderr).toBe(0)
    expect(readFileSync(there, 'utf8')).toBe('kept')
  })

  test('goes to the tray without a setting, and explains that once for ever', async () => {
    const desktop = await startServices(session, 'tray')
    const { data } = await prepare()
    const gone = () => until('the window to go', async () => (await session.windows('Sekisho')).length === 0)
    const first = await openWindow(session, data)
    await desktop.item()
    await pause(500)
    await closeWindow()
    await press(session, 'Understood')
    await gone()
    expect(first.child.running).toBe(true)
    await first.child.end()
    const again = await openWindow(session, data)
    await pause(1_500)
    await closeWindow()
    await gone()
    expect(again.child.running).toBe(true)
  })
})

test('a session bus that is lost ends nothing, and a hidden window shows', async () => {
  const around = await startXSession()
  try {
    const desktop = await startServices(around, 'tray')
    const { data, agentToken } = await prepareWith({})
    const child = startWindow(around, data, {}, ['--hidden'])
    const { url } = await placeOf(data)
    const item = new TrayItem(around, await desktop.item())
    expect(await item.property('Status')).toContain('Active')
    await pause(4_000)
    expect(await around.windows('Sekisho')).toEqual([])
    around.bus.signal('SIGKILL')
    await until('the window', async () => (await around.windows('Sekisho')).length > 0)
    await ask(url, agentToken, 'launch')
    child.signal('SIGTERM')
    expect(await child.ended(5_000)).toBe(0)
  } finally {
    await around.end()
  }
})

test('a session bus that says nothing keeps a second start no longer than some seconds', async () => {
  const around = await startXSession()
  try {
    const { data } = await prepare()
    const { child } = await openWindow(around, data)
    around.bus.signal('SIGSTOP')
    const second = startWindow(around, data)
    expect(await second.ended(9_000)).toBe(1)
    expect(second.stderr).toContain('another desk holds this data folder')
    child.signal('SIGTERM')
    expect(await child.ended(5_000)).toBe(0)
  } finally {
    around.bus.signal('SIGCONT')
    await around.end()
  }
})

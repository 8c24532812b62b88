import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { press, seen } from './harness/accessibility'
import { Child } from './harness/child'
import { startServices, TrayItem } from './harness/desktop-services'
import { driveWindow, openWindow, placeOf, prepareWith, runs, startWindow, type Prepared } from './harness/desktop'
import { openDesk } from './harness/fixtures'
import { ask, request, type SeenCall } from './harness/operator'
import { program } from './harness/paths'
import { pause, until } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

// The window as it is shipped, and the rest of the desktop around it: what that may ask
// of the desk, and that none of it decides anything.
let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

const fullWidth = 1000

/** The window on the screen, with its size; nothing while it is not there. */
async function onScreen(): Promise<{ id: string; width: number } | undefined> {
  const [id] = await session.windows('Sekisho')
  if (id === undefined) return undefined
  const width = /WIDTH=(\d+)/.exec(await session.run('xdotool', 'getwindowgeometry', '--shell', id))?.[1]
  return { id, width: Number(width) }
}

const shown = () => until('the window', onScreen)
const small = () => until('a small window', async () => ((await onScreen())?.width ?? fullWidth) < fullWidth)
const gone = () => until('the window to go', async () => (await onScreen()) === undefined)

async function isUp(): Promise<boolean> {
  const window = await onScreen()
  return window !== undefined && (await session.stacking()).at(-1) === window.id && (await session.activeWindow()) === window.id
}

/** Puts another window over everything, which takes the keyboard. */
async function cover(): Promise<void> {
  const other = session.start('xev', ['-name', 'Cover', '-geometry', '1200x850+0+0'])
  onTestFinished(() => other.end())
  await session.run('xdotool', 'windowactivate', '--sync', await session.window('Cover'))
  await until('the window to be covered', async () => !(await isUp()))
}

/** The desk as an agent sees it. */
function agentOf({ agentToken }: Prepared, url: string) {
  return {
    ask: (tool: string, more = {}) => ask(url, agentToken, tool, more),
    statuses: async () => ((await request(url, agentToken, 'GET', '/v1/calls')).body.calls as SeenCall[]).map(({ status }) => status),
    /** What would become of reading, which a rule allows. */
    reading: async () => (await request(url, agentToken, 'POST', '/v1/evaluate', { serverId: 'filesystem', toolName: 'read_file', input: {} })).body.decision,
  }
}

const noPopUp = { window: { popUp: false } }

describe('the notification', () => {
  test('counts what waits, is replaced when that changes, and is closed when nothing waits', async () => {
    const desktop = await startServices(session, 'notifications')
    const prepared = await prepareWith(noPopUp)
    const { place } = await openWindow(session, prepared.data)
    const agent = agentOf(prepared, place.url)
    await cover()
    const first = await agent.ask('launch', { description: '<b>hurry</b>' })
    expect(await desktop.notice(1)).toMatchObject({ kind: 'notify', replaces: 0, summary: 'Approval Needed: scribe', body: "Tool 'launch' requires approval" })
    const second = await agent.ask('<img src="file:///etc/passwd">\u202e')
    const { id, body, actions, hints } = await desktop.notice(2)
    expect({ id, body }).toEqual({ id: 1, body: 'Tool \'&lt;img src="file:///etc/passwd"&gt;⟦U+202E⟧\' requires approval\n2 calls wait for you' })
    expect(actions).toEqual(['default', 'Review', 'review', 'Review'])
    expect(Object.keys(hints)).not.toContain('image-path')
    await first.cancel()
    expect(await desktop.notice(3)).toMatchObject({ kind: 'notify', replaces: 1, summary: 'Approval Needed: scribe' })
    await second.cancel()
    expect(await desktop.notice(4)).toMatchObject({ kind: 'close', id: 1 })
    expect(await onScreen()).toBeDefined()
  })

  test('Review brings the window up and decides nothing', async () => {
    const desktop = await startServices(session, 'notifications')
    const prepared = await prepareWith(noPopUp)
    const { place } = await openWindow(session, prepared.data)
    const agent = agentOf(prepared, place.url)
    for (const key of ['review', 'default']) {
      await cover()
      const before = desktop.notices().length
      const { cancel } = await agent.ask('launch')
      const { id } = await desktop.notice(before + 1)
      await desktop.press(id, 'approve')
      await pause(300)
      expect(await isUp()).toBe(false)
      await desktop.press(id, key)
      await until('the window on top', isUp)
      expect(await desktop.notice(before + 2)).toMatchObject({ kind: 'close', id })
      await pause(1_000)
      expect((await agent.statuses())[0]).toBe('pending')
      await cancel()
    }
  })

  test('a forged press from elsewhere on the bus decides nothing, and nothing comes up', async () => {
    const desktop = await startServices(session, 'notifications')
    const prepared = await prepareWith(noPopUp)
    const { place } = await openWindow(session, prepared.data)
    const agent = agentOf(prepared, place.url)
    await cover()
    await agent.ask('launch')
    const { id, sender } = await desktop.notice(1)
    for (const to of [[], ['--dest', sender]]) {
      for (const key of ['review', 'default', 'approve']) {
        await session.run('gdbus', 'emit', '--session', ...to, '--object-path', '/org/freedesktop/Notifications', '--signal', 'org.freedesktop.Notifications.ActionInvoked', `uint32 ${String(id)}`, `'${key}'`)
      }
      await session.run('gdbus', 'emit', '--session', ...to, '--object-path', '/org/freedesktop/Notifications', '--signal', 'org.freedesktop.Notifications.NotificationClosed', `uint32 ${String(id)}`, 'uint32 2')
      await session.run('gdbus', 'emit', '--session', ...to, '--object-path', '/org/freedesktop/DBus', '--signal', 'org.freedesktop.DBus.NameOwnerChanged', "'org.freedesktop.Notifications'", "''", "':1.1'")
    }
    await pause(1_000)
    expect(await isUp()).toBe(false)
    expect(await agent.statuses()).toEqual(['pending'])
    expect(desktop.notices()).toHaveLength(1)
    await desktop.press(id, 'review')
    await until('the window on top', isUp)
  })

  test('there is none while quiet is wanted, and the window does not come up', async () => {
    const desktop = await startServices(session, 'notifications')
    const prepared = await prepareWith({ window: { quiet: true } })
    const { place } = await openWindow(session, prepared.data)
    const agent = agentOf(prepared, place.url)
    await cover()
    await agent.ask('launch')
    await pause(1_500)
    expect(await isUp()).toBe(false)
    expect(desktop.notices()).toEqual([])
    expect(await agent.statuses()).toEqual(['pending'])
  })

  test('a window that comes up speaks for itself', async () => {
    const desktop = await startServices(session, 'notifications')
    const prepared = await prepareWith({})
    const { place } = await openWindow(session, prepared.data)
    await cover()
    await agentOf(prepared, place.url).ask('launch')
    await until('the window on top', isUp)
    await pause(1_500)
    expect(desktop.notices()).toEqual([])
    await cover()
    expect(await desktop.notice(1)).toMatchObject({ kind: 'notify', summary: 'Approval Needed: scribe' })
  })
})

describe('the tray', () => {
  test('says how many calls wait, and opens the window', async () => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith({ ...noPopUp, language: 'ru' })
    const { place } = await openWindow(session, prepared.data)
    const item = new TrayItem(session, await desktop.item())
    const agent = agentOf(prepared, place.url)
    expect(await item.property('Status')).toContain('Active')
    await cover()
    await agent.ask('launch')
    await agent.ask('land')
    await until('the count', async () => (await item.property('Title')).includes('2 вызова ждут'))
    expect(await item.property('Status')).toContain('NeedsAttention')
    await item.press('2 вызова ждут')
    await until('the window on top', isUp)
    expect(await agent.statuses()).toEqual(['pending', 'pending'])
  })

  test('holds everything, and cannot end that', async () => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith({})
    const { place } = await openWindow(session, prepared.data)
    const item = new TrayItem(session, await desktop.item())
    const agent = agentOf(prepared, place.url)
    await cover()
    expect(await agent.reading()).toBe('allow')
    await item.press('Hold everything')
    await until('the hold', async () => (await agent.reading()) === 'ask')
    await until('the check mark', async () => (await item.menu()).includes("'toggle-state': <1>"))
    expect(await isUp()).toBe(false)
    await item.press('Hold everything')
    await until('the window, where it can be ended', isUp)
    expect(await agent.reading()).toBe('ask')
  })

  test('its Quit ends the desk, and what waits is kept', async () => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith({ window: { closeToTray: true } })
    const { child, place } = await openWindow(session, prepared.data)
    const item = new TrayItem(session, await desktop.item())
    await agentOf(prepared, place.url).ask('launch')
    await item.press('Quit')
    await seen(session, /label/, '1 call waits for you. It is kept.')
    expect(child.running).toBe(true)
    await press(session, 'Quit')
    expect(await child.ended(5_000)).toBe(0)
    const [kept] = await (await openDesk(prepared.data)).pending()
    expect(kept).toMatchObject({ toolName: 'launch' })
  })
})

describe('out of sight', () => {
  test('a window that is closed to the tray lets the desk live on, and comes up small for a call', async () => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith({ window: { closeToTray: true } })
    const { child, place } = await openWindow(session, prepared.data)
    const item = new TrayItem(session, await desktop.item())
    const agent = agentOf(prepared, place.url)
    await session.close('Sekisho')
    await press(session, 'Understood')
    await gone()
    expect(runs(place.pid)).toBe(true)

    const { cancel } = await agent.ask('launch')
    await small()
    await until('the window on top', isUp)
    await seen(session, /alert|dialog/, 'launch')
    await session.keys('alt+F4') // it had come up by itself: it goes again, and that is no answer
    await gone()
    expect(await agent.statuses()).toEqual(['pending'])
    await cancel()
    const next = await agent.ask('land')
    await small()
    await next.cancel()
    await gone()
    await item.press('Open Sekisho')
    await until('the window at its full size', async () => (await shown()).width === fullWidth)
    child.signal('SIGTERM')
    expect(await child.ended(5_000)).toBe(0)
  })

  test('without a tray, closing ends the desk whatever the setting', async () => {
    const prepared = await prepareWith({ window: { closeToTray: true } })
    const { child } = await openWindow(session, prepared.data)
    await session.close('Sekisho')
    expect(await child.ended(5_000)).toBe(0)
  })

  const ways: [string, Record<string, unknown>, string[]][] = [
    ['by the command line', {}, ['--hidden']],
    ['by the setting', { window: { startHidden: true } }, []],
  ]
  test.each(ways)('it starts hidden %s, comes up small for a call and goes when that is settled', async (_, settings, flags) => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith(settings)
    startWindow(session, prepared.data, {}, flags)
    const { url } = await placeOf(prepared.data)
    await desktop.item()
    await pause(4_000)
    expect(await onScreen()).toBeUndefined()

    const { cancel } = await agentOf(prepared, url).ask('launch')
    await small()
    await seen(session, /alert|dialog/, 'launch')
    await cancel()
    await gone()
    expect(await agentOf(prepared, url).statuses()).toEqual(['cancelled'])
  })

  test('the page of a minimised window knows that it came up small, and can ask for the whole desk', async () => {
    const prepared = await prepareWith({})
    const { driver, place } = await driveWindow(session, prepared.data)
    const isSmall = () => driver.run('return window.go.main.App.Compact()')
    await driver.run("window.told = []; window.runtime.EventsOn('compact', (on) => window.told.push(on))")
    const away = async () => {
      await session.run('xdotool', 'windowminimize', '--sync', (await shown()).id)
      await gone()
    }
    await away()
    expect(await isSmall()).toBe(false)
    const first = await agentOf(prepared, place.url).ask('launch')
    await small()
    expect(await isSmall()).toBe(true)
    await first.cancel()
    await gone()
    expect(await driver.run('return window.told')).toEqual([true, false])

    await agentOf(prepared, place.url).ask('land')
    await small()
    await driver.run('return window.go.main.App.Expand()')
    await until('the whole desk', async () => (await onScreen())?.width === fullWidth)
    expect(await isSmall()).toBe(false)
    expect(await driver.run('return window.told')).toEqual([true, false, true, false])
  })

  test('where nothing would lead back to it, it shows', async () => {
    const prepared = await prepareWith({})
    startWindow(session, prepared.data, {}, ['--hidden'])
    expect((await shown()).width).toBe(fullWidth)
  })

  test('when the tray goes, a hidden window shows', async () => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith({})
    startWindow(session, prepared.data, {}, ['--hidden'])
    await desktop.item()
    await pause(4_000)
    expect(await onScreen()).toBeUndefined()
    await desktop.end()
    await shown()
  })
})

describe('a second start on the same folder', () => {
  // What makes no sense is an error all the same.
  const wrong = { code: 1, says: 'a desk already runs there' }
  const well = { code: 0, says: '' }
  const lines: [string[], typeof well][] = [
    [[], well],
    [['approve'], wrong],
    [['--approve=ID'], wrong],
    [['sekisho://approve/ID'], wrong],
    [['--hidden'], well],
  ]
  test('only brings the first window up, whatever its words are', async () => {
    const prepared = await prepareWith(noPopUp)
    const { place } = await openWindow(session, prepared.data)
    const agent = agentOf(prepared, place.url)
    const { id } = await agent.ask('launch')
    for (const [words, { code, says }] of lines) {
      await cover()
      const second = new Child(program('sekisho-desktop'), ['--data', prepared.data, '--listen', '127.0.0.1:0', ...words.map((word) => word.replace('ID', id))], { env: session.env })
      onTestFinished(() => second.end())
      expect(await second.ended(10_000), words.join(' ')).toBe(code)
      if (code === 0) expect(second.stderr).toBe('')
      else expect(second.stderr).toContain(says)
      await until('the first window on top', isUp)
      await pause(500)
      expect(await agent.statuses()).toEqual(['pending'])
      expect(await session.windows('Sekisho')).toHaveLength(1)
    }
  })

  test('brings up a window that is hidden, and at its full size', async () => {
    const desktop = await startServices(session, 'tray')
    const prepared = await prepareWith({})
    startWindow(session, prepared.data, {}, ['--hidden'])
    await desktop.item()
    const second = new Child(program('sekisho-desktop'), ['--data', prepared.data], { env: session.env })
    onTestFinished(() => second.end())
    expect(await second.ended(10_000)).toBe(0)
    expect((await shown()).width).toBe(fullWidth)
  })

  test('of a desk without a window says so, too', async () => {
    const prepared = await prepareWith({})
    await openDesk(prepared.data)
    const second = new Child(program('sekisho-desktop'), ['--data', prepared.data, '--listen', '127.0.0.1:0'], { env: session.env })
    onTestFinished(() => second.end())
    expect(await second.ended(10_000)).toBe(1)
    expect(second.stderr).toContain('another desk holds this data folder')
  })
})

test('autostart is written for the session when it is switched on, and taken away', async () => {
  const prepared = await prepareWith({})
  const file = join(String(session.env.XDG_CONFIG_HOME), 'autostart', 'sekisho.desktop')
  expect(existsSync(file)).toBe(false)
  const { driver } = await driveWindow(session, prepared.data)
  const change = (on: boolean) => driver.run(`return window.go.main.App.Ask('PATCH', '/v1/settings', '', JSON.stringify({ window: { autostart: ${String(on)} } }))`)
  await change(true)
  await until('the file', () => existsSync(file))
  expect(readFileSync(file, 'utf8')).toContain(`Exec="${program('e2e/sekisho-desktop')}" "--hidden" "--data" "${prepared.data}"`)
  await change(false)
  await until('the file to go', () => !existsSync(file))
})

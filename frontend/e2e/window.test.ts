import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { press } from './harness/accessibility'
import { driveWindow, inDialog, prepare, runs } from './harness/desktop'
import { openAgent, openDesk } from './harness/fixtures'
import { request, type SeenCall } from './harness/operator'
import { pause, until } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

// The page inside the real window, in a build that the driver may take hold of.
let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

const write = inDialog('write_file')

test('a call is held, seen in the window, approved there, and only then runs', async () => {
  const { data, files, agentToken } = await prepare()
  const { driver, place } = await driveWindow(session, data)
  const agent = await openAgent(place.url, agentToken)
  const path = join(files, 'poem.txt')
  const flight = agent.call('write_file', { path, content: '古池や "蛙"\n' })

  await until('the input', async () => (await driver.text(write.box)).includes(path))
  expect(await driver.text(write.box)).toContain('scribe wants to create')
  expect(await driver.named(write.box)).toMatchObject({ label: expect.stringContaining('scribe wants to create') })
  expect(existsSync(path)).toBe(false)
  await driver.click(write.approve)
  expect(await flight.outcome).toMatchObject({ isError: false })
  expect(readFileSync(path, 'utf8')).toBe('古池や "蛙"\n')
  await until('the dialog to leave', async () => !(await driver.has(write.box)))
})

test('a decline and its reason reach the agent', async () => {
  const { data, files, agentToken } = await prepare()
  const { driver, place } = await driveWindow(session, data)
  const agent = await openAgent(place.url, agentToken)
  const flight = agent.call('write_file', { path: join(files, 'no.txt'), content: 'x' })
  await driver.type(write.reason, 'into drafts, please')
  await driver.click(write.decline)
  expect(await flight.outcome).toMatchObject({ isError: true, text: expect.stringContaining('into drafts, please') })
  await pause(500)
  expect(existsSync(join(files, 'no.txt'))).toBe(false)
})

test('the page runs nothing but what the window brings', async () => {
  const { data } = await prepare()
  const { driver } = await driveWindow(session, data)
  await driver.find("//nav//*[contains(., 'Rules')]")
  await driver.run(`
    const script = document.createElement('script')
    script.textContent = 'window.inlineRan = true'
    document.head.append(script)
    const image = new Image()
    window.imageFate = new Promise((done) => { image.onload = () => done('loaded'); image.onerror = () => done('refused') })
    image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='`)
  expect(await driver.run('return window.inlineRan')).toBeNull()
  expect(await driver.run('return window.imageFate')).toBe('refused')
})

describe('for a call that waits, the window comes up', () => {
  const ways: [string, (window: string) => Promise<unknown>][] = [
    ['from behind another window', coverUp],
    ['when it is minimised', (window) => session.run('xdotool', 'windowminimize', '--sync', window)],
    ['when it is not on the screen', (window) => session.run('xdotool', 'windowunmap', '--sync', window)],
  ]
  test.each(ways)('%s, and a key that falls into it decides nothing', async (_, putAway) => {
    const { data, files, agentToken } = await prepare()
    const { driver, place } = await driveWindow(session, data)
    const agent = await openAgent(place.url, agentToken)
    await driver.find("//nav//*[contains(., 'Rules')]")
    const window = await session.window('Sekisho')
    await putAway(window)
    await until('the window to be away', async () => !(await isUp(window)))
    await until('the window to know', async () => !(await driver.run('return document.hasFocus()')))

    agent.call('write_file', { path: join(files, 'hasty.txt'), content: 'x' })
    await until('the window on top', () => isUp(window))
    await session.keys('Return', 'space', 'ctrl+Return')
    await driver.find(write.box)
    await session.keys('Return', 'space')
    await pause(1_000)
    expect(await theCall(place.url, agentToken)).toMatchObject({ status: 'pending' })
    expect(existsSync(join(files, 'hasty.txt'))).toBe(false)
    await driver.click(write.approve)
    await until('the file', () => existsSync(join(files, 'hasty.txt')))
  })
})

test('closing the window ends the desk, and what waits is kept', async () => {
  const { data, files, agentToken } = await prepare()
  const { driver, place } = await driveWindow(session, data)
  const agent = await openAgent(place.url, agentToken)
  agent.call('write_file', { path: join(files, 'kept.txt'), content: 'x' })
  await driver.find(write.box)
  await session.close('Sekisho')
  await press(session, 'Quit') // it asks, since a call waits
  await until('the process to end', () => !runs(place.pid), 5_000)

  const desk = await openDesk(data)
  expect(await desk.firstPending()).toMatchObject({ toolName: 'write_file', callerGone: true })
})

/** Whether the window is on the screen, over all others, and has the keyboard. */
async function isUp(window: string): Promise<boolean> {
  const visible = (await session.windows('Sekisho')).includes(window)
  return visible && (await session.stacking()).at(-1) === window && (await session.activeWindow()) === window
}

async function coverUp(): Promise<void> {
  const cover = session.start('xev', ['-name', 'Cover', '-geometry', '1200x850+0+0'])
  onTestFinished(() => cover.end())
  await session.run('xdotool', 'windowactivate', '--sync', await session.window('Cover'))
}

async function theCall(url: string, token: string): Promise<SeenCall | undefined> {
  return ((await request(url, token, 'GET', '/v1/calls')).body.calls as SeenCall[])[0]
}

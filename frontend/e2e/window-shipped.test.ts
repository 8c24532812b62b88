import { existsSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibleTree, click, press, seen } from './harness/accessibility'
import { Child } from './harness/child'
import { openWindow, pageOf, placeOf, prepare, runs, startWindow } from './harness/desktop'
import { openAgent, openDesk } from './harness/fixtures'
import { ask, request } from './harness/operator'
import { program } from './harness/paths'
import { pause, until } from './harness/wait'
import { freePort, listens, startXSession, type XSession } from './harness/x-session'

// The window exactly as it is shipped, from outside.
let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

test('assistive technology sees the dialog and can approve in it', async () => {
  const { data, files, agentToken } = await prepare()
  const { place } = await openWindow(session, data)
  const agent = await openAgent(place.url, agentToken)
  const path = join(files, 'pressed.txt')
  const flight = agent.call('write_file', { path, content: 'pressed' })

  await seen(session, /alert|dialog/, 'scribe wants to create')
  const names = (await accessibleTree(session)).filter(({ role }) => role.includes('button')).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['Approve', 'Decline', 'Later']))
  expect((await accessibleTree(session)).some(({ text }) => text.includes(path))).toBe(true)
  expect(existsSync(path)).toBe(false)
  await pause(800)
  await press(session, 'Approve')
  expect(await flight.outcome).toMatchObject({ isError: false })
  expect(readFileSync(path, 'utf8')).toBe('pressed')
})

test('assistive technology can decline', async () => {
  const { data, files, agentToken } = await prepare()
  const { child, place } = await openWindow(session, data)
  const agent = await openAgent(place.url, agentToken)
  const flight = agent.call('write_file', { path: join(files, 'no.txt'), content: 'x' })
  // The rule that asks is folded away, and told all the same.
  await seen(session, /alert|dialog/, 'scribe wants to create', /High risk .* Rule [-0-9a-f]+ with priority 0 asks\./)
  await press(session, 'Decline')
  expect(await flight.outcome).toMatchObject({ isError: true })
  expect(existsSync(join(files, 'no.txt'))).toBe(false)

  // The web view draws without a graphics card, and the window's process has no EGL driver.
  expect(readFileSync(`/proc/${String(child.pid)}/maps`, 'utf8')).not.toMatch(/libEGL_/)
})

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
  const forms: [screen: string, opener: string][] = [
    ['Rules', 'Edit the rule'],
    ['Rules', 'Add a rule'],
    ['Rules', 'Try a call'],
    ['Servers', 'Edit'],
    ['Servers', 'Add a server'],
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

test.each(['WEBKIT_INSPECTOR_SERVER', 'WEBKIT_INSPECTOR_HTTP_SERVER'])('the window cannot be taken over through %s', async (name) => {
  const { data } = await prepare()
  const port = await freePort()
  await openWindow(session, data, { [name]: `127.0.0.1:${String(port)}` })
  await seen(session, /./, 'Rules')
  expect(await listens(port)).toBe(false)
})

describe('over HTTP, the window has no operator', () => {
  const id = '00000000-0000-7000-8000-000000000000'
  const rows: [string, string, unknown?][] = [
    ['POST', `/v1/calls/${id}/decision`, { approved: true, inputHash: 'sha256:0' }],
    ['GET', '/v1/rules'],
    ['POST', '/v1/rules', { effect: 'allow' }],
    ['PUT', '/v1/rules', { rules: [] }],
    ['GET', `/v1/rules/${id}`],
    ['PATCH', `/v1/rules/${id}`, { effect: 'allow' }],
    ['DELETE', `/v1/rules/${id}`],
    ['GET', '/v1/servers'],
    ['PUT', '/v1/servers', { servers: [] }],
    ['GET', '/v1/agents'],
    ['POST', '/v1/agents', { name: 'double' }],
    ['DELETE', `/v1/agents/${id}`],
    ['GET', '/v1/journal'],
    ['POST', '/v1/login-codes'],
  ]
  test('so an agent is refused everything that is a person’s, and nobody can sign in', async () => {
    const { data, agentToken } = await prepare()
    const { place } = await openWindow(session, data)
    for (const [method, path, body] of rows) {
      const answer = await request(place.url, agentToken, method, path, body)
      expect(answer.status, `${method} ${path}`).toBe(403)
    }
    expect((await request(place.url, agentToken, 'POST', `/v1/calls/${id}/decision`, { approved: true, inputHash: 'x' })).body.code).toBe('self_approval_forbidden')
    expect((await request(place.url, 'operator-guessed-token', 'POST', '/v1/login', { code: 'A' })).status).toBe(401)
    expect((await request(place.url, 'operator-guessed-token', 'GET', '/v1/rules')).status).toBe(401)
  })
})

describe('a window that cannot open says why and exits 1', () => {
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = new Child(program('sekisho-desktop'), args, { env: { ...session.env, ...env } })
    onTestFinished(() => child.end())
    return child
  }

  test('when another desk holds the folder', async () => {
    const { data } = await prepare()
    await openWindow(session, data)
    const unheard = start(['--data', data, '--listen', '127.0.0.1:0'], { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })
    expect(await unheard.ended(10_000)).toBe(1)
    expect(unheard.stderr).toContain('another desk holds this data folder')
    const headless = new Child(program('sekishod'), ['--data', data, '--listen', '127.0.0.1:0'])
    expect(await headless.ended(10_000)).toBe(1)
    expect(headless.stderr).toContain('another desk holds this data folder')
  })

  test('when the port is taken', async () => {
    const { data } = await prepare()
    const other = createServer()
    await new Promise<void>((open) => other.listen(0, '127.0.0.1', open))
    onTestFinished(() => void other.close())
    const taken = start(['--data', data, '--listen', `127.0.0.1:${String((other.address() as AddressInfo).port)}`])
    expect(await taken.ended(10_000)).toBe(1)
    expect(taken.stderr).toContain('address already in use')
    await openDesk(data)
  })

  test('when there is no display', async () => {
    const { data } = await prepare()
    const blind = start(['--data', data, '--listen', '127.0.0.1:0'], { DISPLAY: '', WAYLAND_DISPLAY: '' })
    expect(await blind.ended(10_000)).toBe(1)
    expect(blind.stderr).toContain('no display')
    expect(blind.stderr).not.toContain('goroutine')
    expect(existsSync(join(data, 'desk.json'))).toBe(false)
  })
})

test('a window that is told to end does so within five seconds', async () => {
  const { data } = await prepare()
  const { child } = await openWindow(session, data)
  expect((await placeOf(data)).pid).toBe(child.pid)
  child.signal('SIGTERM')
  expect(await child.ended(5_000)).toBe(0)
  await until('desk.json to go', () => !existsSync(join(data, 'desk.json')))
})

test('a window that is told to end while it starts ends, and leaves the folder whole', async () => {
  const { data } = await prepare()
  for (const ms of [20, 60, 100, 150, 200, 250, 300, 350, 400, 500, 600, 800, 1_000, 1_300]) {
    const child = startWindow(session, data)
    await pause(ms)
    child.signal('SIGTERM')
    expect([0, 'SIGTERM'], `after ${String(ms)} ms`).toContain(await child.ended(30_000)) // by the signal before it listens
  }
  await openDesk(data)
})

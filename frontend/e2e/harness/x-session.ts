import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { Child } from './child'
import { scratch } from './paths'
import { until } from './wait'

const run = promisify(execFile)

/** How long each part of a session may take to start: three tries of which one part hangs are within the time of a hook. */
const startMs = 15_000

/** How long a program may run in it to its end. */
const runMs = 30_000

/** A graphical session of its own: an X server without a screen, a window manager, a message bus. */
export class XSession {
  readonly env: NodeJS.ProcessEnv
  readonly #children: Child[]
  #bus: Child | undefined
  readonly #removeRuntime: () => void

  constructor(env: NodeJS.ProcessEnv, children: Child[], removeRuntime: () => void) {
    this.env = env
    this.#children = children
    this.#removeRuntime = removeRuntime
  }

  /** The message bus. */
  get bus(): Child {
    if (!this.#bus) throw new Error('there is no bus yet')
    return this.#bus
  }

  async startBus(): Promise<void> {
    this.#bus = this.start('dbus-daemon', ['--session', '--nofork', '--print-address'])
    this.env.DBUS_SESSION_BUS_ADDRESS = await this.#bus.firstLine()
  }

  /** Runs a program to its end inside the session and gives what it printed. One that hangs is ended. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(command, args, { env: this.env, maxBuffer: 32 * 1024 * 1024, timeout: runMs })
    return stdout.trim()
  }

  /** Starts a program inside the session. */
  start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
    const child = new Child(command, args, { env: { ...this.env, ...env } })
    this.#children.push(child)
    return child
  }

  async keys(...names: string[]): Promise<void> {
    await this.run('xdotool', 'key', ...names)
  }

  /** The X ids of visible windows with this title. */
  async windows(title: string): Promise<string[]> {
    const found = await this.run('xdotool', 'search', '--onlyvisible', '--name', `^${title}$`).catch(() => '')
    return found.split('\n').filter((id) => id !== '')
  }

  async window(title: string): Promise<string> {
    const [id] = await until(`a window called ${title}`, async () => {
      const ids = await this.windows(title)
      return ids.length > 0 ? ids : undefined
    })
    return String(id)
  }

  /** The window that has the keyboard, or nothing. */
  activeWindow(): Promise<string> {
    return this.run('xdotool', 'getactivewindow').catch(() => '')
  }

  /** Closes a window as a person does at the keyboard, once it has that. */
  async close(title: string): Promise<void> {
    const id = await this.window(title)
    await this.run('xdotool', 'windowactivate', '--sync', id)
    await until(`${title} to have the keyboard`, async () => (await this.activeWindow()) === id)
    await this.keys('alt+F4')
  }

  /** The managed windows from the lowest to the topmost, as decimal ids. */
  async stacking(): Promise<string[]> {
    const line = await this.run('xprop', '-root', '_NET_CLIENT_LIST_STACKING')
    return [...line.matchAll(/0x[0-9a-f]+/g)].map(([id]) => String(parseInt(id, 16)))
  }

  async screenshot(file: string): Promise<void> {
    await this.run('import', '-window', 'root', file)
  }

  /** Ends everything in the session, also what the bus started by itself. */
  async end(): Promise<void> {
    for (const child of this.#children.reverse()) await child.end()
    for (const pid of pidsWith(`DBUS_SESSION_BUS_ADDRESS=${String(this.env.DBUS_SESSION_BUS_ADDRESS)}`)) {
      try {
        process.kill(pid, 'SIGTERM')
      } catch {
        // It ended by itself in the meantime.
      }
    }
    this.#removeRuntime()
  }
}

/** Opens a session. One that does not start is told of, and another is tried: it is no part of what is tested. */
export async function startXSession(size = '1280x900x24'): Promise<XSession> {
  for (let tries = 1; ; tries++) {
    try {
      return await openXSession(size)
    } catch (error) {
      if (tries === 3) throw error
      process.stderr.write(`a graphical session did not start, try ${String(tries)}: ${String(error)}\n`)
    }
  }
}

/** Opens a session. The X server finds a free display by itself and says which. */
async function openXSession(size: string): Promise<XSession> {
  const runtime = scratch()
  const children: Child[] = []
  const session = new XSession({}, children, runtime.remove)
  try {
    const x = new Child('Xvfb', ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp'], { reports: true })
    children.push(x)
    await until('the X server', () => x.report.includes('\n'), startMs)
    Object.assign(session.env, process.env, {
      DISPLAY: `:${x.report.trim()}`,
      WAYLAND_DISPLAY: '',
      GDK_BACKEND: 'x11',
      LC_ALL: 'C.UTF-8',
      LANGUAGE: '',
      NO_AT_BRIDGE: '',
      XDG_RUNTIME_DIR: runtime.path,
      XDG_CONFIG_HOME: `${runtime.path}/config`,
      XDG_DATA_HOME: `${runtime.path}/data`,
      XDG_CACHE_HOME: `${runtime.path}/cache`,
      LIBGL_ALWAYS_SOFTWARE: '1',
      // The engine's own sandbox needs privileges that a container does not have.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    })
    await session.startBus()
    session.start('openbox', [])
    await until('the window manager', async () => (await session.run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK')).includes('0x'), startMs)
    return session
  } catch (error) {
    await session.end()
    throw error
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

/** Whether something accepts connections there. */
export async function listens(port: number): Promise<boolean> {
  return run('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${String(port)}`]).then(
    () => true,
    () => false,
  )
}

function pidsWith(setting: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${String(pid)}/environ`, 'latin1').split('\0').includes(setting)
    } catch {
      return false
    }
  })
}


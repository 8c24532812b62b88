import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Child } from './child'
import { until } from './wait'
import type { XSession } from './x-session'

/** What a notification service was asked to show, or to close. */
export interface Notice {
  kind: 'notify' | 'close'
  id: number
  replaces: number
  summary: string
  body: string
  actions: string[]
  hints: Record<string, string>
  /** The name on the bus of whoever asked. */
  sender: string
}

/** A notification service and a tray that show nothing and tell what they were asked. */
export class DesktopServices {
  readonly #session: XSession
  readonly #child: Child

  constructor(session: XSession, child: Child) {
    this.#session = session
    this.#child = child
  }

  #said(): { kind: string; item?: string }[] {
    return this.#child.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line) as { kind: string })
  }

  notices(): Notice[] {
    return this.#said().filter(({ kind }) => kind === 'notify' || kind === 'close') as unknown as Notice[]
  }

  /** Waits until as many notices came, and gives the last. */
  async notice(count: number): Promise<Notice> {
    const all = await until(`${String(count)} notices`, () => (this.notices().length >= count ? this.notices() : undefined))
    return all[count - 1] as Notice
  }

  /** The name of the tray item that registered last, once the desk has asked whether it is shown. */
  item(): Promise<string> {
    return until('a tray item', () => {
      const said = this.#said()
      const at = said.findLastIndex(({ kind }) => kind === 'item')
      return said.slice(at).some(({ kind }) => kind === 'asked') ? said[at]?.item : undefined
    })
  }

  /** Presses a notification, as the person at it does. */
  async press(id: number, key: string): Promise<void> {
    await this.#session.run('gdbus', 'call', '--session', '--dest', 'dev.sekisho.Test', '--object-path', '/', '--method', 'dev.sekisho.Test.Invoke', String(id), key)
  }

  /** Takes the services away, as a desktop does that ends. */
  end(): Promise<void> {
    return this.#child.end()
  }
}

/** Gives the session services, for one test. */
export async function startServices(session: XSession, ...names: ('notifications' | 'tray')[]): Promise<DesktopServices> {
  const child = session.start('/usr/bin/python3', [join(import.meta.dirname, 'desktop-services.py'), ...names])
  onTestFinished(() => child.end())
  await child.firstLine()
  return new DesktopServices(session, child)
}

/** The tray item of the desk as any process of the session sees and presses it. */
export class TrayItem {
  readonly #session: XSession
  readonly #name: string

  constructor(session: XSession, name: string) {
    this.#session = session
    this.#name = name
  }

  async property(name: string): Promise<string> {
    return this.#session.run('gdbus', 'call', '--session', '--dest', this.#name, '--object-path', '/StatusNotifierItem', '--method', 'org.freedesktop.DBus.Properties.Get', 'org.kde.StatusNotifierItem', name)
  }

  /** The menu as GVariant text. */
  menu(): Promise<string> {
    return this.#call('GetLayout', '0', '9', '[]')
  }

  /** The number of the entry that is called so. */
  async #entry(label: string): Promise<string> {
    const found = new RegExp(String.raw`<\((\d+), \{[^}]*'label': <'${label}'>`).exec(await this.menu())
    if (!found?.[1]) throw new Error(`no entry ${label} in ${await this.menu()}`)
    return found[1]
  }

  async press(label: string): Promise<void> {
    await this.#call('Event', await this.#entry(label), 'clicked', '<0>', '0')
  }

  #call(method: string, ...args: string[]): Promise<string> {
    return this.#session.run('gdbus', 'call', '--session', '--dest', this.#name, '--object-path', '/MenuBar', '--method', `com.canonical.dbusmenu.${method}`, ...args)
  }
}

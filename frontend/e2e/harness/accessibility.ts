import { join } from 'node:path'
import { until } from './wait'
import type { XSession } from './x-session'

const script = join(import.meta.dirname, 'accessibility.py')

/** An object as assistive technology sees it. */
export interface Seen {
  role: string
  name: string
  description: string
  text: string
  enabled: boolean
  focused: boolean
  modal: boolean
  showing: boolean
}

/** Everything that assistive technology sees in the session. */
export async function accessibleTree(session: XSession): Promise<Seen[]> {
  return JSON.parse(await session.run('/usr/bin/python3', script, 'tree')) as Seen[]
}

/** Waits for an object of a role whose name has these words, and whose description is like that. */
export function seen(session: XSession, role: RegExp, words: string, description = /(?:)/): Promise<Seen> {
  return until(`${String(role)} with ${words}, described as ${String(description)}`, async () =>
    (await accessibleTree(session)).find((o) => role.test(o.role) && o.name.includes(words) && description.test(o.description)),
  )
}

/** Presses a button, a link or a choice by its name, once it is enabled. */
export async function press(session: XSession, name: string, role: 'button' | 'link' | 'radio' = 'button'): Promise<void> {
  await until(`the ${role} ${name}`, () =>
    session.run('/usr/bin/python3', script, 'press', name, role).then(() => true),
  )
}

/** Clicks what has a role and a name with the mouse, and leaves the pointer there. */
export async function click(session: XSession, name: string, role: 'button' | 'link' | 'entry' = 'button'): Promise<void> {
  const [x, y] = (await until(`the ${role} ${name}`, () => session.run('/usr/bin/python3', script, 'place', name, role))).split(' ')
  await session.run('xdotool', 'mousemove', String(x), String(y), 'click', '1')
}

/** Writes into the field of a name in place of what stands there: the focus is put there by it, and the text typed. */
export async function write(session: XSession, name: string, text: string): Promise<void> {
  await until(`the field ${name}`, () => session.run('/usr/bin/python3', script, 'enter', name).then(() => true))
  await until(`the focus in ${name}`, async () => (await accessibleTree(session)).some((o) => o.name === name && o.focused))
  await session.keys('ctrl+a')
  await session.run('xdotool', 'type', text)
  await until(`${name} to have it`, async () => (await accessibleTree(session)).some((o) => o.name === name && o.text === text))
}

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

/** Waits for an object of a role whose name has these words. */
export function seen(session: XSession, role: RegExp, words: string): Promise<Seen> {
  return until(`${String(role)} with ${words}`, async () => (await accessibleTree(session)).find((o) => role.test(o.role) && o.name.includes(words)))
}

/** Presses a button by its name, once it is enabled. */
export async function press(session: XSession, name: string): Promise<void> {
  await until(`the button ${name}`, () =>
    session.run('/usr/bin/python3', script, 'press', name).then(() => true),
  )
}

import type { Entrance } from './open-desk'

/** How often the desk is told at most. */
const everyMs = 60_000

/** Tells the desk that a person is looking: at most once a minute, when the page is used, or comes into view with the focus. */
export function tellPresence(entrance: Entrance): void {
  let last = -everyMs
  const tell = () => {
    const opened = entrance.state()
    if (!('desk' in opened) || !document.hasFocus() || performance.now() - last < everyMs) return
    last = performance.now()
    void opened.desk.insights().then((rows) => rows.present()).catch(() => undefined) // another time it is told again
  }
  for (const name of ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const) document.addEventListener(name, tell, { capture: true, passive: true })
  window.addEventListener('focus', tell)
  tell()
}

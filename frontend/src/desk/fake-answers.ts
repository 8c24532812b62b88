/** What a fake desk answers where a test says nothing else. */
import type { Preview, Settings } from './types'

export const noSettings: Settings = {
  hold: false,
  deadlines: { low: 300, medium: 300, high: 600 },
  denialMemory: true,
  undoSeconds: 0,
  retention: { journalDays: 0, journalMegabytes: 0, inputDays: 0 },
  pendingPerAgent: 1000,
  patience: {},
  language: '',
  window: { popUp: true, sound: true, quiet: false, startHidden: false, closeToTray: false, autostart: false },
}

export const nothingChanged: Preview = { changed: [], changedTotal: 0, declined: 0, total: 0, counts: {}, matched: 0, matchedDeclined: 0 }

/** Reads the settings of the desk, and writes changes of them the desk's way. */
import { count, effect, limit, object, text, type Json } from './read'
import type { Settings, SettingsChange } from './types'

export function settings(v: unknown): Settings {
  const s = object(v)
  const deadlines = object(s.deadlines ?? {})
  const retention = object(s.retention ?? {})
  const window = object(s.window ?? {})
  const reads = object(s.reads ?? {})
  const limits = object(s.limits ?? {})
  const seconds = (n: unknown) => (typeof n === 'number' ? n : null)
  return {
    hold: s.hold === true,
    deadlines: { low: seconds(deadlines.low), medium: seconds(deadlines.medium), high: seconds(deadlines.high) },
    denialMemory: s.denialMemory === true,
    brake: limit(s.brake),
    reads: { resources: effect(reads.resources), prompts: effect(reads.prompts) },
    undoSeconds: count(s.undoSeconds),
    retention: { journalDays: count(retention.journalDays), journalMegabytes: count(retention.journalMegabytes), inputDays: count(retention.inputDays) },
    limits: { pendingPerAgent: count(limits.pendingPerAgent), inputMembers: count(limits.inputMembers) },
    patience: Object.fromEntries(Object.entries(object(s.patience ?? {})).map(([client, n]) => [client, count(n)])),
    language: text(s.language),
    window: {
      popUp: window.popUp !== false,
      sound: window.sound !== false,
      quiet: window.quiet === true,
      startHidden: window.startHidden === true,
      closeToTray: window.closeToTray === true,
      autostart: window.autostart === true,
    },
  }
}

/** A change as the desk takes it: our words are its words. */
export function settingsOut(change: SettingsChange): Json {
  return { ...change }
}

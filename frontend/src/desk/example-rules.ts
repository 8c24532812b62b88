import type { Desk } from './desk'
import type { RuleForm } from './types'

const base = { toolName: null, toolPattern: null, enabled: true, note: '' } as const

/** The five example rules of CONTRACT section 2. */
export const exampleRules: readonly RuleForm[] = [
  { ...base, priority: 100, serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow' },
  { ...base, priority: 100, serverId: 'filesystem', toolPattern: 'delete_*', effect: 'ask' },
  { ...base, priority: 50, serverId: 'shell', toolName: 'execute_command', effect: 'ask' },
  { ...base, priority: 10, serverId: 'weather-server', effect: 'allow' },
  { ...base, priority: 0, serverId: null, effect: 'ask' },
]

/** Makes them one after the other, so that a failure leaves a clear beginning and no doubt. */
export async function createExampleRules(desk: Desk): Promise<void> {
  for (const form of exampleRules) await desk.createRule(form)
}

import { activity } from './en/activity'
import { agents } from './en/agents'
import { approval } from './en/approval'
import { common } from './en/common'
import { errors } from './en/errors'
import { input } from './en/input'
import { queue } from './en/queue'
import { rules } from './en/rules'
import { servers } from './en/servers'
import { shell } from './en/shell'

/** English, the source of the keys. A message with forms is chosen by `count`. */
export const en = { ...shell, ...common, ...queue, ...approval, ...input, ...rules, ...servers, ...agents, ...activity, ...errors } as const

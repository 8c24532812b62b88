import { activity } from './en/activity'
import { agents } from './en/agents'
import { approval } from './en/approval'
import { apps } from './en/apps'
import { common } from './en/common'
import { differences } from './en/differences'
import { errors } from './en/errors'
import { grants } from './en/grants'
import { settings } from './en/settings'
import { welcome } from './en/welcome'
import { input } from './en/input'
import { queue } from './en/queue'
import { rules } from './en/rules'
import { servers } from './en/servers'
import { shapes } from './en/shapes'
import { shell } from './en/shell'

/** English, the source of the keys. A message with forms is chosen by `count`. */
export const en = { ...shell, ...common, ...queue, ...approval, ...input, ...shapes, ...rules, ...servers, ...agents, ...apps, ...activity, ...grants, ...differences, ...settings, ...welcome, ...errors } as const

import type { Catalogue } from './catalogue'
import { activity } from './ru/activity'
import { agents } from './ru/agents'
import { approval } from './ru/approval'
import { common } from './ru/common'
import { errors } from './ru/errors'
import { input } from './ru/input'
import { queue } from './ru/queue'
import { rules } from './ru/rules'
import { servers } from './ru/servers'
import { shell } from './ru/shell'

/** Russian. */
export const ru: Catalogue = { ...shell, ...common, ...queue, ...approval, ...input, ...rules, ...servers, ...agents, ...activity, ...errors }

import type { Catalogue } from './catalogue'
import { activity } from './ru/activity'
import { agents } from './ru/agents'
import { approval } from './ru/approval'
import { apps } from './ru/apps'
import { common } from './ru/common'
import { errors } from './ru/errors'
import { grants } from './ru/grants'
import { settings } from './ru/settings'
import { welcome } from './ru/welcome'
import { input } from './ru/input'
import { queue } from './ru/queue'
import { rules } from './ru/rules'
import { servers } from './ru/servers'
import { shapes } from './ru/shapes'
import { shell } from './ru/shell'

/** Russian. */
export const ru: Catalogue = { ...shell, ...common, ...queue, ...approval, ...input, ...shapes, ...rules, ...servers, ...agents, ...apps, ...activity, ...grants, ...settings, ...welcome, ...errors }

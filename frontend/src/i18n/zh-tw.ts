import type { Catalogue } from './catalogue'
import { activity } from './zh-tw/activity'
import { agents } from './zh-tw/agents'
import { approval } from './zh-tw/approval'
import { apps } from './zh-tw/apps'
import { common } from './zh-tw/common'
import { errors } from './zh-tw/errors'
import { grants } from './zh-tw/grants'
import { settings } from './zh-tw/settings'
import { welcome } from './zh-tw/welcome'
import { input } from './zh-tw/input'
import { queue } from './zh-tw/queue'
import { rules } from './zh-tw/rules'
import { servers } from './zh-tw/servers'
import { shapes } from './zh-tw/shapes'
import { shell } from './zh-tw/shell'

/** Traditional Chinese. */
export const zhTW: Catalogue = { ...shell, ...common, ...queue, ...approval, ...input, ...shapes, ...rules, ...servers, ...agents, ...apps, ...activity, ...grants, ...settings, ...welcome, ...errors }

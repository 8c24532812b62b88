import type { Catalogue } from './catalogue'
import { activity } from './ja/activity'
import { agents } from './ja/agents'
import { approval } from './ja/approval'
import { apps } from './ja/apps'
import { common } from './ja/common'
import { errors } from './ja/errors'
import { grants } from './ja/grants'
import { settings } from './ja/settings'
import { welcome } from './ja/welcome'
import { input } from './ja/input'
import { queue } from './ja/queue'
import { rules } from './ja/rules'
import { servers } from './ja/servers'
import { shapes } from './ja/shapes'
import { shell } from './ja/shell'

/** Japanese. */
export const ja: Catalogue = { ...shell, ...common, ...queue, ...approval, ...input, ...shapes, ...rules, ...servers, ...agents, ...apps, ...activity, ...grants, ...settings, ...welcome, ...errors }

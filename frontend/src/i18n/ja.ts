import type { Catalogue } from './catalogue'
import { activity } from './ja/activity'
import { agents } from './ja/agents'
import { approval } from './ja/approval'
import { common } from './ja/common'
import { errors } from './ja/errors'
import { input } from './ja/input'
import { queue } from './ja/queue'
import { rules } from './ja/rules'
import { servers } from './ja/servers'
import { shell } from './ja/shell'

/** Japanese. */
export const ja: Catalogue = { ...shell, ...common, ...queue, ...approval, ...input, ...rules, ...servers, ...agents, ...activity, ...errors }

import type { FirstWords } from './catalogue'
import { approval } from './ja/approval'
import { common } from './ja/common'
import { errors } from './ja/errors'
import { input } from './ja/input'
import { queue } from './ja/queue'
import { shapes } from './ja/shapes'
import { shared } from './ja/shared'
import { shell } from './ja/shell'

/** Japanese. */
export const words: FirstWords = { ...approval, ...common, ...errors, ...input, ...queue, ...shapes, ...shared, ...shell }

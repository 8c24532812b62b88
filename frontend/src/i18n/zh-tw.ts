import type { FirstWords } from './catalogue'
import { approval } from './zh-tw/approval'
import { common } from './zh-tw/common'
import { errors } from './zh-tw/errors'
import { input } from './zh-tw/input'
import { queue } from './zh-tw/queue'
import { shapes } from './zh-tw/shapes'
import { shared } from './zh-tw/shared'
import { shell } from './zh-tw/shell'

/** Traditional Chinese. */
export const words: FirstWords = { ...approval, ...common, ...errors, ...input, ...queue, ...shapes, ...shared, ...shell }

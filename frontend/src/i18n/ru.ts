import type { FirstWords } from './catalogue'
import { approval } from './ru/approval'
import { common } from './ru/common'
import { errors } from './ru/errors'
import { input } from './ru/input'
import { queue } from './ru/queue'
import { shapes } from './ru/shapes'
import { shared } from './ru/shared'
import { shell } from './ru/shell'

/** Russian. */
export const words: FirstWords = { ...approval, ...common, ...errors, ...input, ...queue, ...shapes, ...shared, ...shell }

import { approval } from './en/approval'
import { common } from './en/common'
import { errors } from './en/errors'
import { input } from './en/input'
import { queue } from './en/queue'
import { shapes } from './en/shapes'
import { shared } from './en/shared'
import { shell } from './en/shell'

/** English, the source of the keys. A message with forms is chosen by `count`. */
export const words = { ...approval, ...common, ...errors, ...input, ...queue, ...shapes, ...shared, ...shell } as const

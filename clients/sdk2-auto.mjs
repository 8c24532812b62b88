// The TypeScript SDK, 2.x, asked to find out the server's era by itself.

import { open as openSDK2 } from './sdk2.mjs'

export const name = 'TypeScript SDK 2 automatic'

/** As in sdk2. */
export const open = (way, options = {}) => openSDK2(way, { client: 'sdk2-auto', ...options, versions: { mode: 'auto' } })

import { createRequire } from 'node:module'
import * as React from 'react'

/** What tests of the page spend a tenth of their time on, and look at nowhere. */

// Of a style they ask whether it hides something. jsdom works out twelve colours each time, too.
const { propertiesWithResolvedValueImplemented: resolved } = createRequire(import.meta.url)('jsdom/lib/jsdom/living/helpers/style-rules') as {
  propertiesWithResolvedValueImplemented: Record<string, unknown>
}
for (const name of Object.keys(resolved)) if (name.endsWith('color')) Reflect.deleteProperty(resolved, name)

// React's development build keeps a stack trace of each element for a line of its warnings, until it has kept so many of late.
const internals = Reflect.get(React, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE') as object
if (!('recentlyCreatedOwnerStacks' in internals)) throw new Error('this React counts its stack traces elsewhere: leave them, or name where')
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => Infinity, set: () => undefined, configurable: true })

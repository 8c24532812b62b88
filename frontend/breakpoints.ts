/** The sizes of the window at which something is laid out otherwise, by the names that style sheets use: @media (--small). */
const breakpoints: Readonly<Record<string, string>> = {
  /** The navigation stands above the screen, not beside it. */
  '--narrow': 'max-width: 760px',
  /** A dialog takes the whole width. */
  '--small': 'max-width: 600px',
  /** Buttons take the whole width. */
  '--tiny': 'max-width: 420px',
  /** What is above and below the text of a dialog takes less room. */
  '--low': 'max-height: 520px',
}

interface MediaRule {
  params: string
  error: (message: string) => Error
}

interface Root {
  walkAtRules: (name: string, visit: (rule: MediaRule) => void) => void
}

/** The PostCSS plugin that puts the sizes in the place of their names, and takes no other sizes. */
export const namedBreakpoints = {
  postcssPlugin: 'named-breakpoints',
  Once(root: Root) {
    root.walkAtRules('media', (rule) => {
      if (rule.params.includes('px')) throw rule.error('a size of the window is named in breakpoints.ts')
      rule.params = rule.params.replace(/--[a-z]+/g, (name) => {
        const size = breakpoints[name]
        if (size === undefined) throw rule.error(`${name} is not named in breakpoints.ts`)
        return size
      })
    })
  },
}

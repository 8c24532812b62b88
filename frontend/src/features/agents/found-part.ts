import { screen } from './screen'

/** The apps that were found, as the welcome shows them: what is loaded with it. */
export const part = {
  load: () => import('./found-apps').then(({ FoundApps }) => FoundApps),
  words: screen.words,
} as const

import type { ReactNode } from 'react'
import { useI18n } from './i18n'

interface Flag {
  /** A JSON Pointer into a tool's definition. */
  at: string
  kind: 'tags' | 'direction' | 'hidden' | 'lookAlike'
  count: number
  characters: readonly string[]
  looksLike: string
}

const places = { '/name': 'flag.name', '/title': 'flag.title', '/annotations/title': 'flag.title', '/description': 'flag.description' } as const

/** What deceives in what a tool says of itself, in the person's language; quote shows text of the server. */
export function useFlagWords(quote: (text: string) => ReactNode) {
  const { t, tx } = useI18n()
  return (flags: readonly Flag[]) => (
    <ul>
      {flags.map(({ at, kind, count, characters, looksLike }, i) => (
        <li key={i}>
          {tx(`flag.${kind}`, { where: Object.hasOwn(places, at) ? t(places[at as keyof typeof places]) : quote(at), count, characters: characters.join(', ') })}
          {looksLike !== '' && <> ≈ {quote(looksLike)}</>}
        </li>
      ))}
    </ul>
  )
}

import { Fragment, type ReactNode } from 'react'
import { useI18n } from './i18n'

interface Part {
  name: string
  chosen: readonly string[]
  writes: readonly string[]
  folder: string
  risk: string | null
}

interface Coverage {
  code: string
  serverId: string | null
  toolName: string
  folder: string
  parts: readonly Part[]
  maxRisk: string
  text: string
}

type Quote = (text: string, as?: 'path') => ReactNode

/** What an answer of wider scope reaches, in the person's language; quote shows text of agents and servers. */
export function useCoverageWords(quote: Quote) {
  const { language, tx } = useI18n()
  // A part as it is printed: the program with its verb, what it is told to run, and the files that it writes.
  const printed = (part: Part | undefined, maxRisk: string): ReactNode => {
    if (!part) return null
    const name = quote([part.name, ...part.chosen, ...part.writes.map((file) => `> ${file}`)].join(' '))
    return part.risk === 'low' && maxRisk === 'medium' ? tx('coverage.reading', { name }) : name
  }

  const named = (parts: readonly Part[], maxRisk: string) =>
    new Intl.ListFormat(language, { type: 'unit' })
      .formatToParts(parts.map((_, i) => String(i)))
      .map(({ type, value }, i) => <Fragment key={i}>{type === 'element' ? printed(parts[Number(value)], maxRisk) : value}</Fragment>)

  /** What it is about in a few words: programs with their verbs, a tool, a server. */
  const short = ({ code, parts, maxRisk, toolName, serverId }: Coverage): ReactNode => {
    if (code === 'commands') return named(parts, maxRisk)
    if (code === 'server' || code === 'own_tools') return tx(serverId === null ? 'coverage.ownTools' : 'coverage.server', { server: quote(serverId ?? '') })
    return quote(toolName)
  }

  const whole = (of: Coverage): ReactNode => {
    const { code, serverId, toolName, folder, parts, text } = of
    const places = { names: short(of), tool: quote(toolName), server: quote(serverId ?? '') }
    switch (code) {
      case 'commands':
        return inFolders(tx(serverId === null ? 'coverage.commandsLocal' : 'coverage.commands', places), parts.map((part) => part.folder))
      case 'tool':
        return inFolders(tx(serverId === null ? 'coverage.toolLocal' : 'coverage.tool', places), [folder])
      case 'resource':
        return tx('coverage.resource', places)
      case 'prompt':
        return tx('coverage.prompt', places)
      case 'server':
      case 'own_tools':
        return places.names
    }
    return text
  }

  const inFolders = (what: ReactNode, all: readonly string[]): ReactNode => {
    const folders = [...new Set(all)].filter((folder) => folder !== '')
    if (folders.length === 0) return what
    return tx('coverage.in', { what, folders: folders.map((folder, i) => <Fragment key={folder}>{i > 0 && ', '}{quote(folder, 'path')}</Fragment>) })
  }

  return { short, whole }
}

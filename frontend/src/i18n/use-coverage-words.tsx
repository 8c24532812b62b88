import { Fragment, type ReactNode } from 'react'
import { useI18n } from './i18n'
import { listed, type Quote } from './listed'

interface Part {
  name: string
  chosen: readonly string[]
  writes: readonly string[]
  folder: string
  risk: string | null
}

interface Coverage {
  code: string
  params: {
    serverId: string | null
    toolName: string
    folder: string
    parts: readonly Part[]
    maxRisk: string
    path: string
    hosts: readonly string[]
  }
  text: string
}

/** What an answer of wider scope reaches, in the person's language; quote shows text of agents and servers. */
export function useCoverageWords(quote: Quote) {
  const { language, t, tx } = useI18n()
  // A part as it is printed: the program with its verb, what it is told to run, and the files that it writes.
  const printed = (part: Part, maxRisk: string): ReactNode => {
    const name = quote([part.name, ...part.chosen, ...part.writes.map((file) => `> ${file}`)].join(' '))
    return part.risk === 'low' && maxRisk === 'medium' ? tx('coverage.onlyReading', { name }) : name
  }

  const named = (parts: readonly Part[], maxRisk: string) => listed(language, 'unit', parts.map((part) => printed(part, maxRisk)))

  /** What it is about in a few words: programs with their verbs, a tool, a server. */
  const short = ({ code, params: { parts, maxRisk, toolName, serverId } }: Coverage): ReactNode => {
    if (code === 'commands') return named(parts, maxRisk)
    if (code === 'reading' || code === 'looking' || code === 'line') return t(`coverage.${code}`)
    if (code === 'server' || code === 'own_tools') return tx(serverId === null ? 'coverage.ownTools' : 'coverage.server', { server: quote(serverId ?? '') })
    if (code === 'reading_tools') return tx('coverage.readingTools', { server: quote(serverId ?? '') })
    if (code === 'mode') return t('coverage.mode')
    return quote(toolName)
  }

  const whole = (of: Coverage): ReactNode => {
    const { code, params, text } = of
    const { serverId, toolName, folder, parts, path, hosts } = params
    const places = { names: short(of), tool: quote(toolName), server: quote(serverId ?? '') }
    const ofTool = tx(serverId === null ? 'coverage.toolLocal' : 'coverage.tool', places)
    switch (code) {
      case 'commands':
      case 'reading':
      case 'looking':
      case 'line':
        return inFolders(at(tx(serverId === null ? 'coverage.commandsLocal' : 'coverage.commands', places), hosts), [folder, ...parts.map((part) => part.folder)])
      case 'tool':
      case 'host':
      case 'files':
        return inFolders(at(ofTool, hosts), [folder])
      case 'file':
        return tx('coverage.file', { what: ofTool, file: quote(path, 'path') })
      case 'resource':
        return tx('coverage.resource', places)
      case 'prompt':
        return tx('coverage.prompt', places)
      case 'server':
      case 'own_tools':
      case 'reading_tools':
      case 'mode':
        return places.names
    }
    return text
  }

  const at = (what: ReactNode, hosts: readonly string[]): ReactNode =>
    hosts.length === 0 ? what : tx('coverage.at', { what, hosts: hosts.map((host, i) => <Fragment key={host}>{i > 0 && ', '}{quote(host)}</Fragment>) })

  const inFolders = (what: ReactNode, all: readonly string[]): ReactNode => {
    const folders = [...new Set(all)].filter((folder) => folder !== '')
    if (folders.length === 0) return what
    return tx('coverage.in', { what, folders: folders.map((folder, i) => <Fragment key={folder}>{i > 0 && ', '}{quote(folder, 'path')}</Fragment>) })
  }

  return { short, whole }
}

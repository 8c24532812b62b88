import type { MessageKey } from './catalogue'
import { errorText } from './error-text'
import type { I18n } from './i18n'

/** The desk's own words for why it does not take a server, and ours. */
const words = {
  'an id is 1 to 64 letters, digits, dots, dashes or underscores': 'servers.refused.id',
  'an id has no double underscore: it parts server and tool on the joined endpoint': 'servers.refused.idUnderscores',
  'this id is reserved': 'servers.refused.idReserved',
  'two servers have this id': 'servers.refused.idTwice',
  'a transport is stdio or http': 'servers.refused.transport',
  'a stdio server needs a command': 'servers.refused.command',
  'a stdio server has no URL': 'servers.refused.commandUrl',
  'a stdio server has no headers: secrets go into its environment': 'servers.refused.commandHeaders',
  'a command, argument or folder holds no NUL': 'servers.refused.nul',
  "an environment name is not empty and has no '=' or NUL": 'servers.refused.env',
  'an http server is not started: it has no command, arguments, environment or folder': 'servers.refused.started',
  'an http server needs a URL like https://example.com/mcp': 'servers.refused.url',
  'a URL is shown to everybody: put its secret into a header': 'servers.refused.urlSecret',
  "a header's name has letters, digits and dashes": 'servers.refused.header',
  'this header belongs to the messages: the desk writes it': 'servers.refused.headerOurs',
  "a header's value is one line": 'servers.refused.headerLine',
  'masked, but there is no kept value under this name': 'servers.refused.masked',
} as const satisfies Record<string, MessageKey>

/** Why the desk does not take a server; name is that of the variable or header which it is about, or ''. */
export interface ServerRefusal {
  key: MessageKey
  name: string
}

/** What the desk says of a server that it does not take, of a field or with the field before it; null where we have no words for it. */
export function serverRefusal(said: string, field = ''): ServerRefusal | null {
  const known = Object.entries(words).find(([sentence]) => said === sentence || said.endsWith(`: ${sentence}`))
  if (!known) return null
  const [sentence, key] = known
  const path = said === sentence ? field : said.slice(0, -`: ${sentence}`.length)
  return { key, name: /(?:^|\.)(?:env|headers)\.(.+)$/s.exec(path)?.[1] ?? '' }
}

/** Why an edit or a try of a server failed, in the person's language; the desk's own English where we have no words for it. */
export function serverErrorText(t: I18n['t'], error: { code: string; message: string; field?: string | undefined }): string {
  const refused = error.code === 'invalid' ? serverRefusal(error.message, error.field) : null
  return refused ? t(refused.key, { name: refused.name }) : errorText(t, error)
}

import { isPrintableAscii } from '../../../ui/hidden-characters'
import { readPunycode } from './punycode'

/** The parts of an address. Each is as it was written; together, with the signs between them, they are its whole text. */
export interface UrlParts {
  /** With its colon. */
  scheme: string
  /** // or what stands in its place. */
  slashes: string
  /** With its @. */
  user: string
  host: string
  /** With its colon. */
  port: string
  path: string
  /** Without the question mark; one entry for each stretch between ampersands. null where there is no query. */
  query: string[] | null
  /** Without the hash sign; null where there is none. */
  fragment: string | null
}

const shape = /^([A-Za-z][A-Za-z0-9+.-]*:)([\\/]{2})([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/

/** Parts an address with a host; null for all else. */
export function urlParts(text: string): UrlParts | null {
  const [, scheme, slashes = '', authority = '', path = '', query, fragment] = shape.exec(text) ?? []
  if (scheme === undefined) return null
  const at = authority.lastIndexOf('@') + 1
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(.*)$/s.exec(authority.slice(at)) ?? []
  return { scheme, slashes, user: authority.slice(0, at), host, port, path, query: query?.split('&') ?? null, fragment: fragment ?? null }
}

/** Where a browser would go, if that is another host than the text seems to name; null if it is the same. */
export function otherHost(text: string, { host, scheme }: UrlParts): string | null {
  const there = asBrowser(text)
  if (there === null || !/^(https?|wss?|ftp):$/i.test(scheme)) return null
  const plain = /\s/.test(host) || isPrintableAscii(host) ? host.toLowerCase() : asciiHost(host)
  return there.hostname === plain ? null : there.hostname
}

function asciiHost(host: string): string {
  return asBrowser(`https://${host}/`)?.hostname ?? ''
}

function asBrowser(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** A host in the letters that punycode stands for; null where it has none. */
export function spokenHost(host: string): string | null {
  const spoken = host
    .split('.')
    .map((label) => (/^xn--/i.test(label) ? (readPunycode(label.slice(4)) ?? label) : label))
    .join('.')
  return spoken === host ? null : spoken
}

/** A part of a query or a path without its percent signs; null where that changes nothing or cannot be. */
export function percentless(text: string): string | null {
  try {
    const read = decodeURIComponent(text)
    return read === text ? null : read
  } catch {
    return null
  }
}

const addressKeys = /^(?:url|uri|href|endpoint)$/i

/** Whether a string of an input is to be read as an address. */
export function isAddress(key: string, value: string): boolean {
  if (value.length > 20_000) return false
  return addressKeys.test(key) ? urlParts(value) !== null : /^https?:\/\/\S+$/i.test(value)
}

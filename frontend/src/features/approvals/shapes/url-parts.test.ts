import { describe, expect, it } from 'vitest'
import { readPunycode } from './punycode'
import { isAddress, otherHost, percentless, spokenHost, urlParts, type UrlParts } from './url-parts'

const texts = [
  'https://example.com',
  'https://user:pass@example.com:8443/a/b?x=1&y=%20&&z#top',
  'http://good.example@evil.example/',
  'http://a@b@c/',
  'http://[::1]:80/x',
  'https://example.com?q#',
  'https://example.com/?',
  'ftp://h/\u202epath',
  'https:\\\\example.com\\x',
  'https://exa\tmple.com/\n?a#b#c',
  'postgres://u:p@db/name',
]

/** The parts put together again. */
function urlText(url: UrlParts): string {
  const query = url.query === null ? '' : `?${url.query.join('&')}`
  const fragment = url.fragment === null ? '' : `#${url.fragment}`
  return url.scheme + url.slashes + url.user + url.host + url.port + url.path + query + fragment
}

describe('urlParts', () => {
  it.each(texts)('parts %j without losing anything', (text) => {
    const parts = urlParts(text)
    expect(parts && urlText(parts)).toBe(text)
  })

  it('names each part', () => {
    expect(urlParts('https://user:p@example.com:8443/a/b?x=1&y=2#top')).toEqual({
      scheme: 'https:', slashes: '//', user: 'user:p@', host: 'example.com', port: ':8443', path: '/a/b', query: ['x=1', 'y=2'], fragment: 'top',
    })
    expect(urlParts('http://a@b@c/')).toMatchObject({ user: 'a@b@', host: 'c' })
    expect(urlParts('http://[::1]:80/x')).toMatchObject({ host: '[::1]', port: ':80' })
    expect(urlParts('https://example.com')).toMatchObject({ path: '', query: null, fragment: null })
  })

  it.each(['mailto:a@b', 'javascript:alert(1)', '/a/b', 'example.com', '', '//example.com'])('leaves %j whole', (text) => {
    expect(urlParts(text)).toBeNull()
  })
})

describe('otherHost', () => {
  it.each([
    ['https://good.example\\@evil.example/', 'good.example'],
    ['https:\\\\evil.example\\@good.example/', 'evil.example'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['https://exa\tmple.com/', 'example.com'],
    ['https://%65xample.com/', 'example.com'],
  ])('finds that a browser takes %j elsewhere', (text, host) => {
    const parts = urlParts(text)
    expect(parts && otherHost(text, parts)).toBe(host)
  })

  it.each(['https://Example.COM/', 'https://user@example.com:1/', 'http://[::1]/', 'https://пример.рф/', 'http://127.0.0.1/'])('finds nothing odd in %j', (text) => {
    const parts = urlParts(text)
    expect(parts && otherHost(text, parts)).toBeNull()
  })
})

describe('spokenHost', () => {
  it.each([
    ['xn--80ak6aa92e.com', 'аррӏе.com'],
    ['www.xn--bcher-kva.example', 'www.bücher.example'],
    ['xn--wgv71a119e.jp', '日本語.jp'],
    ['XN--bcher-KVA.example', 'bücher.example'],
  ])('reads %s as %s', (host, spoken) => {
    expect(spokenHost(host)?.toLowerCase()).toBe(spoken)
  })

  it.each(['example.com', 'xn--.com', 'xn--!!!.com', '', 'xn--999999999.com'])('leaves %j', (host) => {
    expect(spokenHost(host)).toBeNull()
  })

  it('gives up on digits that lead out of Unicode', () => {
    expect(readPunycode('99999999')).toBeNull()
    expect(readPunycode('a-é')).toBeNull()
  })

  it.each(['9'.repeat(308) + 'b', '9'.repeat(308) + 'a', '9'.repeat(62) + 'a', 'a'.repeat(64), `${'a'.repeat(63)}-`])('gives up on digits that lead out of all numbers: %.20s', (label) => {
    expect(readPunycode(label)).toBeNull()
    expect(spokenHost(`xn--${label}.com`)).toBeNull()
  })

  it('ends without an error, in letters of Unicode, whatever is written', () => {
    let seed = 1
    const random = (below: number) => (seed = (seed * 48271) % 0x7fffffff) % below
    const letters = 'abcxyzABC059-é\u{1f600}'
    let read = 0
    for (let round = 0; round < 20_000; round++) {
      const few = round % 2 === 0 ? letters : letters.slice(random(letters.length)).slice(0, 2) || '9'
      const label = Array.from({ length: random(round % 10 === 0 ? 400 : 70) }, () => few[random(few.length)]).join('')
      const spoken = readPunycode(label)
      if (spoken === null) continue
      read++
      expect(() => encodeURIComponent(spoken), label).not.toThrow() // half a letter cannot be encoded
    }
    expect(read).toBeGreaterThan(500)
  })
})

describe('isAddress', () => {
  it.each([
    ['url', 'ftp://h/x', true],
    ['endpoint', 'HTTPS://h', true],
    ['note', 'https://h/x', true],
    ['note', 'see https://h/x', false],
    ['note', 'ftp://h/x', false],
    ['url', 'h/x', false],
    ['url', `https://${'x'.repeat(30_000)}`, false],
  ])('of %s: %.30s is %s', (key, value, is) => {
    expect(isAddress(key, value)).toBe(is)
  })
})

describe('percentless', () => {
  it.each([['a%20b', 'a b'], ['a', null], ['%zz', null], ['%e2%80%ae', '\u202e']])('reads %s as %j', (text, read) => {
    expect(percentless(text)).toBe(read)
  })
})

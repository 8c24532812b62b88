import { describe, expect, it } from 'vitest'
import { SseParser } from './sse-parser'

const stream = ': hello\n\nid: 7\nevent: call.created\ndata: {"a":1}\n\n:\n\ndata: one\r\ndata: two\r\n\r\nid: 9\ndata:x\r\revent: lost'
const events = [
  { id: '7', event: 'call.created', data: '{"a":1}' },
  { id: '7', event: 'message', data: 'one\ntwo' },
  { id: '9', event: 'message', data: 'x' },
]

describe('SseParser', () => {
  it('reads ids, events, data of several lines, comments and all line ends', () => {
    expect(new SseParser().feed(stream)).toEqual(events)
  })

  it.each([1, 2, 3, 5, 8])('reads the same in pieces of %i', (size) => {
    const parser = new SseParser()
    const got = []
    for (let at = 0; at < stream.length; at += size) got.push(...parser.feed(stream.slice(at, at + size)))
    expect(got).toEqual(events)
  })

  it('drops a byte order mark, events without data and ids with NUL', () => {
    const parser = new SseParser()
    expect(parser.feed('\uFEFFdata: a\n\nevent: x\n\nid: b\0\ndata: c\n\n')).toEqual([
      { id: null, event: 'message', data: 'a' },
      { id: null, event: 'message', data: 'c' },
    ])
  })
})

/** One event of a text/event-stream. */
export interface ServerEvent {
  id: string | null
  event: string
  data: string
}

/** Reads a text/event-stream in pieces of any size (HTML standard, 9.2.6). */
export class SseParser {
  #rest = ''
  #event = ''
  #data: string[] = []
  #id: string | null = null
  #first = true

  /** Takes the next piece and gives the events that it completes. */
  feed(piece: string): ServerEvent[] {
    let text = this.#rest + piece
    if (this.#first && text !== '') {
      text = text.replace(/^\uFEFF/, '')
      this.#first = false
    }
    const events: ServerEvent[] = []
    for (;;) {
      const end = text.search(/[\r\n]/)
      // A CR at the very end may be half of a CRLF: wait for the next piece.
      if (end < 0 || (text[end] === '\r' && end === text.length - 1)) break
      const line = text.slice(0, end)
      text = text.slice(end + (text.startsWith('\r\n', end) ? 2 : 1))
      const event = this.#line(line)
      if (event) events.push(event)
    }
    this.#rest = text
    return events
  }

  #line(line: string): ServerEvent | null {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return null
  }

  #dispatch(): ServerEvent | null {
    const event = this.#event
    const data = this.#data
    this.#event = ''
    this.#data = []
    if (data.length === 0) return null
    return { id: this.#id, event: event || 'message', data: data.join('\n') }
  }
}

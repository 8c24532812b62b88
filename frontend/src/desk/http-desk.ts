import { followEvents } from './event-stream'
import { RestDesk } from './rest-desk'
import { HttpTransport, type HttpOptions } from './transport'
import type { Hint, Info } from './types'

/** The desk for a browser at sekishod. */
export class HttpDesk extends RestDesk {
  readonly #http: HttpTransport
  readonly #listeners = new Set<(hint: Hint) => void>()
  readonly #connectionListeners = new Set<() => void>()
  #stopEvents: (() => void) | null = null
  #hasEvents = false

  constructor(options: HttpOptions) {
    const http = new HttpTransport(options)
    super(http)
    this.#http = http
  }

  /** By the browser's own download. */
  saveFile(name: string, text: string): Promise<boolean> {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = name
    link.click()
    setTimeout(() => {
      URL.revokeObjectURL(link.href)
    }, 60_000)
    return Promise.resolve(true)
  }

  /** All listeners share one connection. */
  subscribe(onHint: (hint: Hint) => void): () => void {
    const listener = (hint: Hint) => {
      onHint(hint)
    }
    this.#listeners.add(listener)
    this.#stopEvents ??= followEvents(this.#http, {
      onHint: (hint) => {
        for (const tell of this.#listeners) tell(hint)
      },
      onConnection: (connected) => {
        this.#hasEvents = connected
        for (const tell of this.#connectionListeners) tell()
      },
    })
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stopEvents?.()
      this.#stopEvents = null
      this.#hasEvents = false
    }
  }

  hasEvents(): boolean {
    return this.#hasEvents
  }

  onEvents(listener: () => void): () => void {
    const tell = () => {
      listener()
    }
    this.#connectionListeners.add(tell)
    return () => {
      this.#connectionListeners.delete(tell)
    }
  }

  async info(): Promise<Info> {
    return { version: await this.version(), face: 'browser', canOperate: true, agentsUrl: window.location.origin }
  }
}

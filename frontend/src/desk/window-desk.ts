import { Compact, CreateAgent, DeleteAgent, Expand, Here, Info as BoundInfo, SaveFile } from '../../wailsjs/go/main/App'
import { BrowserOpenURL } from '../../wailsjs/runtime/runtime'
import { fault } from './client'
import { DeskError } from './desk-error'
import { object, read, text } from './read'
import { RestDesk } from './rest-desk'
import { onWindowEvent, WindowTransport } from './transport'
import type { Hint, Info, NewAgent } from './types'

/** The desk for the desktop window, which is the operator itself. */
export class WindowDesk extends RestDesk {
  readonly #renewed: Promise<boolean>

  /** The window asks whether the page is there. What the page says by itself comes first: such a question is lost before it listens. */
  constructor() {
    super(new WindowTransport())
    onWindowEvent('ping', () => void Here().catch(ignore))
    this.#renewed = Here().catch(() => false)
  }

  override renewed(): Promise<boolean> {
    return this.#renewed
  }

  /** The window keeps the token where `sekisho` finds it. */
  override async createAgent(name: string): Promise<NewAgent> {
    const made = object(await value(CreateAgent(name)))
    return { ...read('CreateAgentOutBody', made), tokenFile: text(made.tokenFile) }
  }

  override async deleteAgent(id: string): Promise<void> {
    await value(DeleteAgent(id))
  }

  /** The window shows no other page than its own. */
  override openPage(url: string): void {
    BrowserOpenURL(url)
  }

  /** By the system's own dialog. */
  async saveFile(name: string, text: string): Promise<boolean> {
    return (await value(SaveFile(name, text))) === true
  }

  subscribe(onHint: (hint: Hint) => void): () => void {
    return onWindowEvent('desk', (kind, callId) => {
      onHint({ kind: typeof kind === 'string' ? kind : 'changed', ...(typeof callId === 'string' && callId !== '' ? { callId } : {}) })
    })
  }

  /** They come from within the same program. */
  hasEvents(): boolean {
    return true
  }

  onEvents(): () => void {
    return ignore
  }

  /** An event that is sent before the page listens is lost, so it asks too; what it is told since counts. */
  override onCompact(listener: (compact: boolean) => void): () => void {
    let told = false
    const tell = (compact: unknown) => {
      told = true
      listener(compact === true)
    }
    const stop = onWindowEvent('compact', tell)
    void Compact().then((compact) => {
      if (!told) tell(compact)
    }, ignore)
    return () => {
      told = true
      stop()
    }
  }

  override expand(): Promise<void> {
    return Expand().catch(unreachable)
  }

  async info(): Promise<Info> {
    const info = object(await value(BoundInfo()))
    return { version: text(info.version), face: 'window', canOperate: info.canOperate !== false, agentsUrl: text(info.url) }
  }
}

/** A bound method answers {"ok":true,"value":…} or {"ok":false,"error":…}: a rejected promise would lose all but a message. */
async function value(answer: Promise<string>): Promise<unknown> {
  const said = object(JSON.parse(await answer.catch(unreachable)))
  if (said.ok === true) return said.value ?? {}
  const e = object(said.error ?? {})
  throw new DeskError({ code: text(e.code) || 'unknown', message: text(e.message), fault: fault(text(e.field), { code: e.fault, params: e.params }) })
}

/** A window that does not say how large it is counts as whole. */
function ignore(): void {}

function unreachable(cause: unknown): never {
  throw DeskError.from(cause)
}

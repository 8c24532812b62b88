import * as App from '../../wailsjs/go/main/App'
import { EventsOn } from '../../wailsjs/runtime/runtime'
import type { Desk, RuleSaved } from './desk'
import { DeskError } from './desk-error'
import * as read from './read'
import type { Agent, Answer, Call, Hint, Info, NewAgent, PendingSnapshot, Resolution, Rule, RuleForm, Server, Settings } from './types'

declare global {
  interface Window {
    go?: { main?: { App?: object } }
  }
}

/** Whether this page runs in the desktop window, which is the operator itself. */
export function inWindow(): boolean {
  return window.go?.main?.App !== undefined
}

/**
 * The desk behind the window's bindings. Each answers a JSON text,
 * {"ok":true,"value":…} or {"ok":false,"error":{code,message,field?,call?}}:
 * a rejected promise would lose everything but a message.
 */
export class WailsDesk implements Desk {
  async pending(): Promise<PendingSnapshot> {
    const snapshot = read.object(await value(App.Pending()))
    return { rev: read.whole(snapshot.rev), items: read.list(snapshot.items, read.call) }
  }

  async input(callId: string): Promise<string> {
    return read.text(await value(App.Input(callId)))
  }

  async decide(callId: string, answer: Answer): Promise<{ call: Call; settled: string[]; repeated: boolean }> {
    const done = read.object(await value(App.Decide(callId, JSON.stringify(answer))))
    return { call: read.call(done.call), settled: read.list(done.settled, read.text), repeated: done.repeated === true }
  }

  async resolve(callId: string, action: Resolution): Promise<Call> {
    return read.call(read.object(await value(App.Resolve(callId, action))).call)
  }

  async release(ruleId: string): Promise<number> {
    return read.whole(read.object(await value(App.Release(ruleId))).released)
  }

  async rules(): Promise<{ rules: Rule[]; policyVersion: string }> {
    const all = read.object(await value(App.Rules()))
    return { rules: read.list(all.rules, read.rule), policyVersion: read.opaque(all.policyVersion) ?? '' }
  }

  async createRule(form: RuleForm): Promise<RuleSaved> {
    return read.ruleSaved(await value(App.CreateRule(JSON.stringify(form))))
  }

  async updateRule(id: string, changes: Partial<RuleForm>, ifMatch: string): Promise<RuleSaved> {
    return read.ruleSaved(await value(App.UpdateRule(id, ifMatch, JSON.stringify(changes))))
  }

  async deleteRule(id: string, ifMatch: string): Promise<RuleSaved> {
    return read.ruleSaved(await value(App.DeleteRule(id, ifMatch)))
  }

  async servers(): Promise<Server[]> {
    return read.list(read.object(await value(App.Servers())).servers, read.server)
  }

  async saveServers(servers: Server[]): Promise<Server[]> {
    const saved = await value(App.SaveServers(JSON.stringify({ servers: servers.map(read.serverOut) })))
    return read.list(read.object(saved).servers, read.server)
  }

  async agents(): Promise<Agent[]> {
    return read.list(read.object(await value(App.Agents())).agents, read.agent)
  }

  async createAgent(name: string): Promise<NewAgent> {
    const made = read.object(await value(App.CreateAgent(name)))
    return { agent: read.agent(made.agent), token: read.text(made.token), tokenFile: read.text(made.tokenFile) }
  }

  async deleteAgent(id: string): Promise<void> {
    await value(App.DeleteAgent(id))
  }

  async calls({ cursor }: { cursor: string | null }): Promise<{ calls: Call[]; next: string | null }> {
    const page = read.object(await value(App.Calls(cursor ?? '')))
    return { calls: read.list(page.calls, read.call), next: read.opaque(page.next) }
  }

  async settings(): Promise<Settings> {
    return read.settings(await value(App.Settings()))
  }

  async hold(on: boolean): Promise<void> {
    await value(App.Hold(on))
  }

  subscribe(onHint: (hint: Hint) => void): () => void {
    return EventsOn('desk', (event?: unknown) => {
      const kind = typeof event === 'object' && event !== null && 'kind' in event ? event.kind : event
      onHint({ kind: typeof kind === 'string' ? kind : 'changed' })
    })
  }

  async info(): Promise<Info> {
    const info = read.object(await value(App.Info()))
    return { version: read.text(info.version), face: 'window', canOperate: info.canOperate !== false, agentsUrl: read.text(info.url) }
  }
}

async function value(answer: Promise<string>): Promise<unknown> {
  const parsed = read.object(JSON.parse(await answer.catch(gone)))
  if (parsed.ok === true) return parsed.value ?? {}
  const e = read.object(parsed.error ?? {})
  throw new DeskError({
    code: read.text(e.code) || 'unknown',
    message: read.text(e.message),
    field: read.text(e.field) || undefined,
    call: e.call ? read.call(e.call) : undefined,
  })
}

function gone(cause: unknown): never {
  throw DeskError.from(cause)
}

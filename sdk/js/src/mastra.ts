// Mastra with a desk: tools run only with its yes, and each call at most once.

import { words, type Call, type Desk, type Question } from './index.js'
import {
  holding, resumed, sealOf, type Held, type Inner, type Place, type Tools,
} from './mastra-tools.js'

export { gate, gateToolsets, type GateOptions } from './mastra-tools.js'

export interface DriveOptions {
  mode?: 'stream' | 'generate'
  /** Options of agent.stream or agent.generate; of a resumption too, but for its ids. */
  options?: Record<string, any>
  /** Is told of each stream, the first and those of resumptions, before it is read. */
  onStream?: (stream: any) => void
  signal?: AbortSignal
}

/** Drives an agent until nothing of its run waits for the desk; gives the last output. */
export async function drive(desk: Desk, agent: any, messages: any, o: DriveOptions = {}) {
  kept(agent)
  const start = o.mode === 'generate' ? 'generate' : 'stream'
  const output = await agent[start](messages, o.options)
  return follow(desk, agent, output.runId, output, o)
}

/** Takes up the suspended runs of an agent that Mastra's storage has, after a crash. */
export async function recover(
  desk: Desk,
  agent: any,
  o: DriveOptions & { threadId?: string; resourceId?: string } = {},
): Promise<any[]> {
  kept(agent)
  const { threadId, resourceId } = o
  const { runs } = await agent.listSuspendedRuns({ threadId, resourceId })
  return Promise.all(runs.map((run: any) => follow(desk, agent, run.runId, undefined, o)))
}

/** Throws where an agent's suspended runs are kept nowhere: they would end without an answer. */
function kept(agent: any): void {
  if (agent.getMastraInstance?.()) return
  throw new TypeError('the agent belongs to no Mastra: new Mastra({ agents: { agent }, storage })')
}

async function follow(desk: Desk, agent: any, runId: string, output: any, o: DriveOptions) {
  const read = async (stream: any) => {
    o.onStream?.(stream)
    await stream.consumeStream?.()
  }
  if (output) await read(output)
  for (;;) {
    const { runs } = await agent.listSuspendedRuns()
    const run = runs.find((one: any) => one.runId === runId)
    if (!run) return output
    const place = { runId, sessionId: run.threadId ?? runId }
    const answers: Answer[] = await Promise.all(
      run.toolCalls.map((call: any) =>
        decided(desk, agent, call, { ...place, toolCallId: call.toolCallId }, o),
      ),
    )
    for (const [i, { toolCallId }] of run.toolCalls.entries()) {
      const { question, call, inner } = answers[i] as Answer
      const resume = { ...o.options, runId, toolCallId }
      // A call of a sub-agent knows by this which question it was.
      output = await resumed.run({ question, inner }, async () => {
        const next = await goOn(agent, call, resume, o.mode === 'generate')
        if (next) await read(next)
        return next ?? output
      })
    }
  }
}

interface Answer {
  call: Call
  /** The question of a call that is approved; of one that resumes there is none. */
  question?: Question
  /** Of a call of a sub-agent: which one it is there. */
  inner?: Inner
}

/** Waits for the desk's answer to one suspended call. */
async function decided(
  desk: Desk,
  agent: any,
  call: any,
  place: Place,
  o: DriveOptions,
): Promise<Answer> {
  const sub = !call.requiresApproval && String(call.toolName).startsWith('agent-')
  // generate() of a sub-agent keeps its tool's call in the payload, be it for approval or for data.
  let payload = call.suspendPayload
  while (sub && !sealOf(payload) && payload?.suspendPayload) payload = payload.suspendPayload
  const seal = sealOf(payload)
  const inner = await innerOf(agent, place.runId, place.toolCallId)
  if (sub && !seal && payload?.toolName && payload.args) call = payload
  else if (!call.requiresApproval) {
    const of = (runId?: string, toolCallId?: string) =>
      seal?.runId === runId && seal?.toolCallId.startsWith(`${toolCallId}/`)
    const own = of(place.runId, place.toolCallId) || of(inner?.runId, inner?.path.at(-1))
    const ours = own ? seal : undefined
    // Found whatever the signal says: aborting it cancels this question too.
    const is = (row: Call) => row.toolCallId === ours?.toolCallId
    const asked = ours && (await desk.find({ runId: ours.runId }, is))
    if (!asked) throw new TypeError(`${call.toolName} suspended without having asked the desk`)
    return { call: await desk.settled(asked, o.signal) }
  }
  const tool = await toolOf(desk, agent, call.toolName, o.options?.toolsets)
  const toolCallId = [place.toolCallId, ...(inner?.path ?? [])].join('/')
  const question = tool.question(await tool.effective(call.args), { ...place, toolCallId })
  const settled = await desk.settled(await desk.open(question, o.signal), o.signal)
  return { call: settled, question, inner }
}

/** The call of a sub-agent in which a call of a run is suspended, as Mastra's storage has it. */
async function innerOf(agent: any, runId: string, toolCallId: string): Promise<Inner | undefined> {
  const all = await suspensions(agent, runId)
  const inner = all.find((one) => one.toolCallId === toolCallId)?.inner
  const [first] = inner ? await suspensions(agent, inner) : []
  if (!inner || !first) return undefined
  const deeper = await innerOf(agent, inner, first.toolCallId)
  const path = [first.toolCallId, ...(deeper?.path ?? [])]
  return { runId: deeper?.runId ?? inner, path }
}

/** The suspended calls of a run, each with the run of the sub-agent that it is, if it is one. */
async function suspensions(agent: any, runId: string) {
  const runs = await agent.getMastraInstance().getStorage().getStore('workflows')
  const record = await runs.loadWorkflowSnapshot({ workflowName: 'agentic-loop', runId })
  const stops = (one: any) => one?.status === 'suspended' && one.suspendPayload
  const stopped = (some: any) => Object.values<any>(some ?? {}).filter(stops)
  return stopped(record?.context).flatMap(({ suspendPayload }) => {
    const each = stopped(suspendPayload.__workflow_meta?.foreachOutput)
    const all = each.length > 0 ? each.map((one) => one.suspendPayload) : [suspendPayload]
    return all.map((one) => ({
      toolCallId: String(one.requireToolApproval?.toolCallId ?? one.toolCallId),
      inner: one.suspendedToolRunId as string | undefined,
    }))
  })
}

/** The held form of a tool of an agent, of its sub-agents, or else the only one of the name. */
async function toolOf(desk: Desk, agent: any, name: string, toolsets?: any): Promise<Held> {
  const sets = Object.values<Tools>(toolsets ?? {})
  const agents = new Set([agent]) // which may be each other's sub-agents
  for (const one of agents) {
    sets.push(await one.listTools?.())
    for (const sub of Object.values((await one.listAgents?.()) ?? {})) agents.add(sub)
  }
  return holding(desk, name, sets)
}

/** Goes on with a run by one answer; undefined where another driver has done so. */
async function goOn(agent: any, call: Call, resume: any, whole: boolean) {
  const end = whole ? 'Generate' : ''
  const yes = call.decision?.approved
  const data = yes && call.resumeRequired
  try {
    if (data) return await agent[whole ? 'resumeGenerate' : 'resumeStream'](call.resumeData, resume)
    if (yes) return await agent[`approveToolCall${end}`](resume)
    return await agent[`declineToolCall${end}`]({ ...resume, reason: words(call) })
  } catch (why: any) {
    if (why?.id === 'AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED') return undefined
    throw why
  }
}

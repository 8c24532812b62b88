// Records what the real clients give to their hooks: node record.mjs [CLIENT …] writes testdata/.
// Paths, ids and times are replaced: the folder of a run by /tmp/sekisho, a uuid by 0…01, 0…02 in order of
// appearance, the scripted model's call name by "scripted", other ids and times by fixed ones.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Place, configure, launch, node } from './agents.mjs'
import { appServer, trustHooks } from './codex.mjs'
import { openModel } from './model.mjs'

const here = import.meta.dirname
const testdata = join(here, 'testdata')
const quote = (word) => `'${word.replaceAll("'", `'\\''`)}'`

const shell = () => [{ shell: 'touch nonce' }]
const three = () => [0, 1, 2].map((n) => ({ shell: `touch nonce${n}` }))
const mcp = (place) => [{ tool: /touch$/, input: { path: join(place.work, 'nonce') } }]
const write = (field, content) => (place) => [{ tool: /^(Write|write_file|create|write)$/, input: { [field]: join(place.work, 'nonce'), [content]: 'x' } }]
const question = { question: 'Which one?', header: 'Pick', multiSelect: false, options: [{ label: 'A', description: 'The first' }, { label: 'B', description: 'The second' }] }
const ask = () => [{ tool: /^AskUserQuestion$/, input: { questions: [question] } }]
const plan = () => [{ tool: /^ExitPlanMode$/, input: { plan: 'Make the file.' } }]

const claudeEvents = ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure', 'Notification']
const stdio = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--permission-prompt-tool', 'stdio', '--model', 'claude-sonnet-4-5']
const prompt = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Go on.' } }) + '\n'
const claudeCases = [
  { step: shell },
  { step: shell, variant: 'prompted', run: { args: stdio, stdin: 'pipe' } },
  { step: write('file_path', 'content') },
  { step: write('file_path', 'content'), variant: 'prompted', run: { args: stdio, stdin: 'pipe' } },
  { step: mcp, variant: 'prompted', run: { args: stdio, stdin: 'pipe' } },
  { step: ask, run: { args: stdio, stdin: 'pipe' } },
  { step: plan, run: { args: [...stdio, '--permission-mode', 'plan'], stdin: 'pipe' } },
].map((one) => ({ events: claudeEvents, ...one }))

const copilotEvents = ['preToolUse', 'permissionRequest', 'postToolUse', 'notification']
const copilotTools = [{ step: shell }, { step: write('path', 'file_text') }, { step: mcp }]
const cases = {
  claude: claudeCases,
  'claude-2.1.197': claudeCases,
  codex: [
    { step: shell, events: ['PreToolUse', 'PermissionRequest', 'PostToolUse'], run: {} },
    { step: mcp, events: ['PreToolUse', 'PermissionRequest', 'PostToolUse'], run: {} },
    { step: () => [{ tool: /^exec_command$/, input: { cmd: 'touch nonce', sandbox_permissions: 'require_escalated', justification: 'To make it' } }], events: ['PreToolUse', 'PermissionRequest'], served: true, variant: 'served' },
  ],
  gemini: [shell, write('file_path', 'content'), mcp].map((step) => ({ step, events: ['BeforeTool', 'AfterTool', 'Notification'] })),
  copilot: [
    ...copilotTools.map((one) => ({ ...one, events: copilotEvents })),
    ...copilotTools.map((one) => ({ ...one, events: ['PreToolUse', 'PermissionRequest', 'PostToolUse'], variant: 'pascal' })),
  ],
  opencode: [shell, write('filePath', 'content'), mcp].map((step) => ({
    step,
    conf: { plugin: readFileSync(join(here, 'plugin.recorder.js'), 'utf8'), settings: { permission: { bash: 'ask', edit: 'ask', '*': 'ask' } } },
  })),
}

const started = existsSync(join(testdata, 'started.json')) ? JSON.parse(readFileSync(join(testdata, 'started.json'), 'utf8')) : {}
mkdirSync(testdata, { recursive: true })
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(cases)) {
  for (const file of readdirSync(testdata)) if (started[file]?.client === name) (rmSync(join(testdata, file)), delete started[file])
  for (const one of cases[name]) await record(name, one)
}
writeFileSync(join(testdata, 'started.json'), JSON.stringify(started, Object.keys(started).sort().concat(['client', 'env', 'cwd', 'newline']), 1) + '\n')

async function record(name, { step, events = [], variant, run = {}, conf = {}, served }) {
  const place = new Place()
  const model = await openModel([])
  model.script = [step(place)]
  const seen = join(place.root, 'seen')
  mkdirSync(seen)
  const command = [node, join(here, 'hook.mjs'), seen, 'pass'].map(quote).join(' ')
  const servers = step === mcp ? { files: { command: node, args: [join(here, 'server.mjs')] } } : {}
  configure(name, place, model, { hooks: events.map((event) => ({ event, command })), servers, ...conf })
  if (name === 'codex') await trustHooks(place, model)
  if (served) await serve(place, model)
  else {
    const client = launch(name, place, model, { env: { RECORD: seen }, within: 90_000, ...run })
    if (client.child.stdin) converse(client)
    const { code, signal, stdout, stderr } = await client.ended
    if (code !== 0) console.error(`${name}: ended with ${code ?? signal}\n${stdout.slice(-500)}\n${stderr.slice(-500)}`)
  }
  const count = {}
  for (const file of readdirSync(seen).sort()) {
    const { stdin, env, cwd } = JSON.parse(readFileSync(join(seen, file), 'utf8'))
    const event = JSON.parse(stdin)
    const kind = event.hook_event_name ?? event.hookName ?? event.event ?? (event.toolResult ? 'postToolUse' : 'preToolUse')
    const tool = event.tool_name ?? event.toolName ?? event.input?.tool ?? event.input?.type ?? event.properties?.permission ?? event.properties?.reply ?? 'none'
    const base = [name, variant, kind, tool].filter(Boolean).join('-').replaceAll('/', '_')
    count[base] = (count[base] ?? 0) + 1
    const target = `${base}${count[base] > 1 ? `-${count[base]}` : ''}.json`
    writeFileSync(join(testdata, target), normal(stdin, place, model))
    started[target] = { client: name, env: env.join(' '), cwd: normal(cwd, place, model), newline: stdin.endsWith('\n') }
    console.log(target)
  }
  if (readdirSync(seen).length === 0) console.log(`${name} ${variant ?? ''}: no event; the model was told ${JSON.stringify(model.results)}`)
  await model.end()
  place.end()
}

/** Answers what Claude asks over its control protocol, and ends it with its result. */
function converse({ child }) {
  child.stdin.write(prompt)
  let rest = ''
  child.stdout.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines.map((line) => JSON.parse(line))) {
      if (line.type === 'result') child.stdin.end()
      if (line.type !== 'control_request') continue
      const response = { behavior: 'allow', updatedInput: line.request.input }
      child.stdin.write(JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response } }) + '\n')
    }
  })
}

/** A turn of Codex in which it may ask for more than its sandbox gives, which "codex exec" never does. */
async function serve(place, model) {
  const server = await appServer(place, model, () => ({ decision: 'accept' }))
  const { thread } = await server.request('thread/start', { cwd: place.work, approvalPolicy: 'on-request', sandbox: 'read-only' })
  await server.request('turn/start', { threadId: thread.id, input: [{ type: 'text', text: 'Go on.' }] })
  for (let i = 0; i < 600 && !server.notes.some((note) => note.method === 'turn/completed'); i++) await new Promise((resolve) => setTimeout(resolve, 100))
  server.end()
  await server.ended
}

function normal(text, place, model) {
  const uuids = []
  const at = (list, value) => (list.includes(value) || list.push(value), list.indexOf(value) + 1)
  return text
    .replaceAll(place.root.slice(1), 'tmp/sekisho')
    .replaceAll(place.root.replaceAll('/', '-'), '-tmp-sekisho')
    .replaceAll(model.name, 'scripted')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => `00000000-0000-4000-8000-${String(at(uuids, id)).padStart(12, '0')}`)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-11-24T12:00:00.000Z')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d(-\d\d)?-[0-9a-f]{8}/g, '2026-11-24T12-00-00000000')
    .replaceAll(/sessions\/\d{4}\/\d\d\/\d\d/g, 'sessions/2026/11/24')
    .replaceAll(/rollout-[0-9T-]{19}/g, 'rollout-2026-11-24T12-00-00')
    .replaceAll(/"(timestamp|start|end)":1\d{12}/g, '"$1":1795521600000')
    .replaceAll(/(ses|msg|prt|per|evt)_[0-9a-f]{9}[0-9A-Za-z]{12,}/g, '$1_scripted')
    .replaceAll(/PGID: \d+/g, 'PGID: 1')
}

// Prints what each client does with each answer of a hook: node behaviour.mjs [CLIENT …], one line a case.

import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Place, configure, launch, node } from './agents.mjs'
import { appServer, trustHooks } from './codex.mjs'
import { openModel } from './model.mjs'

const quote = (word) => `'${word.replaceAll("'", `'\\''`)}'`
const say = (value) => ['exit0', JSON.stringify(value)]
const specific = (hookEventName, rest) => say({ hookSpecificOutput: { hookEventName, ...rest } })
const pre = (permissionDecision, rest) => specific('PreToolUse', { permissionDecision, permissionDecisionReason: 'REASON', ...rest })
const request = (decision) => specific('PermissionRequest', { decision })

const failures = {
  'no output, exit 0': ['pass'],
  'exit 2, reason on stderr': ['exit2', 'REASON'],
  'exit 2, nothing on stderr': ['exit2'],
  'exit 1, reason on stderr': ['exit1', 'REASON'],
  'garbage on stdout, exit 0': ['exit0', 'not json {'],
  'hangs past its timeout': ['hang'],
  'killed by a signal': ['kill'],
  'program missing': ['missing'],
}
const preAnswers = {
  ...failures,
  'allow': pre('allow'),
  'deny with reason': pre('deny'),
  'ask': pre('ask'),
  'allow with updatedInput': pre('allow', { updatedInput: { command: 'touch edited', description: 'x' } }),
  'decision of an unknown value': pre('perhaps'),
  "Gemini's shape, deny": say({ decision: 'deny', reason: 'REASON' }),
  "Copilot's shape, deny": say({ permissionDecision: 'deny', permissionDecisionReason: 'REASON' }),
}
const requestAnswers = {
  ...failures,
  'allow': request({ behavior: 'allow' }),
  'allow with updatedInput': request({ behavior: 'allow', updatedInput: { command: 'touch edited', description: 'x' } }),
  'deny with message': request({ behavior: 'deny', message: 'REASON' }),
  'deny without message': request({ behavior: 'deny' }),
}
const blocking = Object.fromEntries(Object.entries(failures).map(([label, answer]) => [`${label}; onFailure block`, answer]))
const copilot = {
  ...failures,
  'allow': say({ permissionDecision: 'allow', permissionDecisionReason: 'REASON' }),
  'deny with reason': say({ permissionDecision: 'deny', permissionDecisionReason: 'REASON' }),
  'ask': say({ permissionDecision: 'ask', permissionDecisionReason: 'REASON' }),
  'modifiedArgs': say({ permissionDecision: 'allow', modifiedArgs: { command: 'touch edited', description: 'x' } }),
  "Claude's shape, deny": pre('deny'),
  "Gemini's shape, deny": say({ decision: 'deny', reason: 'REASON' }),
}
const copilotRequest = {
  ...failures,
  'behavior allow': say({ behavior: 'allow' }),
  'behavior deny with message': say({ behavior: 'deny', message: 'REASON' }),
  'behavior deny without message': say({ behavior: 'deny' }),
  "Claude's shape, deny": request({ behavior: 'deny', message: 'REASON' }),
}
const gemini = {
  ...failures,
  'allow': say({ decision: 'allow' }),
  'deny with reason': say({ decision: 'deny', reason: 'REASON' }),
  'block with reason': say({ decision: 'block', reason: 'REASON' }),
  'ask': say({ decision: 'ask', reason: 'REASON' }),
  'hookSpecificOutput.tool_input': say({ decision: 'allow', hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { command: 'touch edited' } } }),
  "Claude's shape, deny": pre('deny'),
  "Copilot's shape, deny": say({ permissionDecision: 'deny', permissionDecisionReason: 'REASON' }),
}
const more = { onFailure: 'block' }

// One group a line: client, event, how the client is run, the answers.
const claudeGroups = [
  ['PreToolUse', 'default mode', preAnswers, {}],
  ['PreToolUse', 'default mode', blocking, { more }],
  ['PreToolUse', 'Bash allowed by its rules', { ...failures, ...Object.fromEntries(Object.entries(preAnswers).filter(([label]) => /^(allow|deny|ask|decision)/.test(label))) }, { conf: { settings: { permissions: { allow: ['Bash'] } } } }],
  ['PreToolUse', 'Bash allowed by its rules', blocking, { more, conf: { settings: { permissions: { allow: ['Bash'] } } } }],
  ['PermissionRequest', 'default mode', requestAnswers, {}],
]
const groups = {
  claude: [...claudeGroups, ['PermissionRequest', 'default mode', blocking, { more }]],
  'claude-2.1.197': claudeGroups,
  codex: [
    ['PreToolUse', 'exec, trusted', preAnswers, {}],
    ['PreToolUse', 'exec, not trusted', { 'exit 2, reason on stderr': ['exit2', 'REASON'] }, { trust: false }],
    ['PermissionRequest', 'app-server, person says no', requestAnswers, { served: 'decline' }],
    ['PermissionRequest', 'app-server, person says yes', requestAnswers, { served: 'accept' }],
    ['PreToolUse', 'app-server, person says no', { 'no output, exit 0': ['pass'], allow: pre('allow'), 'deny with reason': pre('deny') }, { served: 'decline' }],
  ],
  gemini: [
    ['BeforeTool', 'yolo', gemini, {}],
    ['BeforeTool', 'default mode', { 'no output, exit 0': ['pass'], 'allow': gemini.allow, 'deny with reason': gemini['deny with reason'], 'exit 2, reason on stderr': ['exit2', 'REASON'] }, { run: { mode: 'default' } }],
    ['BeforeTool', 'default mode, a policy allows the shell', { 'no output, exit 0': ['pass'], 'exit 2, reason on stderr': ['exit2', 'REASON'] }, { run: { mode: 'default' }, policy: true }],
  ],
  copilot: [
    ['preToolUse', '--allow-all-tools', copilot, {}],
    ['preToolUse', 'nothing allowed', { 'no output, exit 0': ['pass'], 'allow': copilot.allow, 'ask': copilot.ask, 'deny with reason': copilot['deny with reason'] }, { run: { flags: [] } }],
    ['PreToolUse', '--allow-all-tools', { 'allow': pre('allow'), 'deny with reason': pre('deny'), 'exit 2, reason on stderr': ['exit2', 'REASON'], "Copilot's shape, deny": copilot['deny with reason'] }, {}],
    ['permissionRequest', 'nothing allowed', copilotRequest, { run: { flags: [] } }],
    ['permissionRequest', '--allow-all-tools', copilotRequest, {}],
  ],
}

const waiting = []
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(groups)) {
  for (const [event, how, answers, options] of groups[name]) {
    for (const [label, answer] of Object.entries(answers)) waiting.push([name, event, how, label, answer, options])
  }
}
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) console.log(await tried(...next))
}
await Promise.all([worker(), worker()])

async function tried(name, event, how, label, [answer, text = ''], { more, conf = {}, run = {}, trust = true, served, policy }) {
  const place = new Place()
  const step = served ? { tool: /^exec_command$/, input: { cmd: 'touch nonce', sandbox_permissions: 'require_escalated', justification: 'x' } } : { shell: 'touch nonce' }
  const model = await openModel([[step]])
  const seen = join(place.root, 'seen')
  mkdirSync(seen)
  const command = answer === 'missing' ? '/nonexistent/sekisho hook' : [node, join(import.meta.dirname, 'hook.mjs'), seen, answer, text].map(quote).join(' ')
  configure(name, place, model, { hooks: [{ event, command, timeout: answer === 'hang' ? 4 : 60, more }], ...conf })
  if (policy) place.write('.gemini/policies/desk.toml', '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 100\n')
  if (name === 'codex' && trust) await trustHooks(place, model)
  let asked = 0
  if (served) {
    const server = await appServer(place, model, () => (asked++, { decision: served }))
    const { thread } = await server.request('thread/start', { cwd: place.work, approvalPolicy: 'on-request', sandbox: 'read-only' })
    await server.request('turn/start', { threadId: thread.id, input: [{ type: 'text', text: 'Go on.' }] })
    for (let i = 0; i < 900 && !server.notes.some((note) => note.method === 'turn/completed'); i++) await new Promise((resolve) => setTimeout(resolve, 100))
    server.end()
    await server.ended
  } else var { code, signal } = await launch(name, place, model, { within: 120_000, ...run }).ended
  const hooks = readdirSync(seen).length
  const ran = existsSync(join(place.work, 'edited')) ? 'ran the edited line' : existsSync(join(place.work, 'nonce')) ? '**ran**' : 'did not run'
  const told = model.results.map((result) => result.text.replaceAll(place.root, '').replace(/<system-reminder>[^]*/, '').trim().slice(0, 160).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')).join(' / ')
  await model.end()
  place.end()
  const extra = [hooks !== 1 && answer !== 'missing' && `hook ran ${hooks}×`, served && `person asked ${asked}×`, (code || signal) && `client ended with ${code ?? signal}`].filter(Boolean).join(', ')
  return `| ${name} | ${event} | ${how} | ${label} | ${ran}${extra && ` (${extra})`} | ${told} |`
}

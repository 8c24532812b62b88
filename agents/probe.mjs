// probe: client answer text [key=value]
import { openModel } from './model.mjs'
import { Place, configure, launch, node } from './agents.mjs'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
const [name, events, answer, text = '', opt = '{}'] = process.argv.slice(2)
const o = JSON.parse(opt)
const place = new Place()
const steps = { shell: [{ shell: 'touch nonce' }], three: [0,1,2].map((i) => ({ shell: 'touch nonce' + i })), mcp: [{ tool: /touch$/, input: { path: join(place.work, 'nonce') } }], write: [{ tool: /^(Write|write_file|create|write)$/, input: { path: join(place.work, 'nonce'), file_path: join(place.work, 'nonce'), filePath: join(place.work, 'nonce'), content: 'x', file_text: 'x' } }], patch: [{shell: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: nonce\n+x\n*** End Patch\nEOF`}], plan: [{tool:/ExitPlanMode/, input:{plan:'Do it'}}], ask: [{tool:/AskUserQuestion/, input:{questions:[{question:'Which?',header:'Pick',multiSelect:false,options:[{label:'A',description:'a'},{label:'B',description:'b'}]}]}}] }
const model = await openModel([steps[o.step ?? 'shell']])
const seen = join(place.root, 'seen')
mkdirSync(seen)
const q = (s) => `'${s.replaceAll("'", `'\\''`)}'`
const command = answer === 'missing' ? '/nonexistent/sekisho hook' : [node, join(import.meta.dirname, 'hook.mjs'), seen, answer, text].map(q).join(' ')
const hooks = events === '-' ? [] : events.split(',').map((event) => ({ event, command, timeout: o.timeout, more: o.more, matcher: o.matcher }))
const servers = o.step === 'mcp' ? { files: { command: node, args: [join(import.meta.dirname, 'server.mjs')] } } : {}
configure(name, place, model, { hooks, servers, ...o.conf, ...(o.plugin && { plugin: readFileSync(o.plugin, 'utf8').replaceAll('SEEN', seen) }) })
const ran = await launch(name, place, model, { within: 60000, ...o.run }).ended
const notes = readdirSync(seen).map((f) => JSON.parse(readFileSync(join(seen, f), 'utf8')))
console.log(`${name} ${events} ${answer} ${text} => code ${ran.code} ${ran.signal ?? ''} ${ran.ms} ms, file ${readdirSync(place.work)}, hook runs ${notes.length}`)
console.log('  model told:', model.results.map((r) => r.text.slice(0, 400)))
if (o.v) { for (const n of notes) console.log(n.argv.slice(1), n.env.join(' '), n.cwd, JSON.stringify(n.stdin)); console.log(ran.stdout.slice(0, o.v), '\nERR', ran.stderr.slice(-o.v)); console.log(model.requests.map((r) => `${r.method} ${r.path} ${(r.body.tools ?? []).length}`)) }
await model.end()
place.end()

// The programs of the documentation, each as it is printed there, against a desk of its own:
// one case for each SDK, for `make test`.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { start } from '../../../clients/desk.mjs'
import { deskWith, pause, test } from './person.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Writes a program of a page into a folder, with the version of the SDK that is meant. */
function written(folder, page, name, version = 'ai') {
  const blocks = readFileSync(here(`../../../docs/${page}`), 'utf8').split(/^```.*\n/m)
  const program = blocks.find((block) => block.startsWith(`// ${name}:`))
  assert.ok(program, `${page} has no ${name}`)
  assert.ok(program.trimEnd().split('\n').length < 60, `${name} is too long`)
  const given = program.replace("from 'ai'", `from '${version}'`).replace("'./model.mjs'", "'../../model.mjs'")
  mkdirSync(here(`programs/${folder}`), { recursive: true })
  writeFileSync(here(`programs/${folder}/${name}`), given)
  return here(`programs/${folder}/${name}`)
}

/** The Node that Mastra needs, whichever one runs the tests. */
const node22 = here('node_modules/node/bin/node')

/** Starts a program with a desk; `said` is all that it prints. */
function run(desk, file, node = process.execPath) {
  const env = { ...process.env, HOME: desk.home, SEKISHO_URL: desk.url, SEKISHO_TOKEN: desk.token }
  const p = start(node, [file], { env, cwd: desk.home })
  return { ...p, said: text(p.child.stdout) }
}

/** Answers two payments: yes to the small one, no to the large one. */
async function two(desk) {
  for (const call of await desk.waiting(2)) {
    const approved = call.input.amount === 5
    await desk.answer(call, { approved, reason: approved ? '' : 'Not that much.' })
  }
}

for (const [version, page, name] of [
  ['ai5', 'sdk-ai5.md', 'pay5.mjs'],
  ['ai6', 'sdk-ai.md', 'pay.mjs'],
  ['ai', 'sdk-ai.md', 'pay.mjs'],
]) {
  test(`the program of ${page} with ${version}: approved once, declined never`, async () => {
    const desk = await deskWith()
    const p = run(desk, written(version, page, name, version))
    await two(desk)
    const said = await p.said
    assert.deepEqual(said.match(/^paid .*/gm), ['paid 5'])
    assert.match(said, /Not that much\./)
    assert.match(said, /^Done\.$/m)
    await desk.end()
  })
}

/** The starts of the README, each with what it takes for given; each pays once. */
const starts = {
  'AI SDK 6 and 7': `import { scripted } from '../../model.mjs'
    const model = scripted(7, [[['call-1', 'pay', { amount: 5 }]]])
    const chatId = 'chat-1'`,
  'AI SDK 5': `import { generateText } from 'ai5'
    import { Desk } from '@sekisho/client'
    import { gate5, run5 } from '@sekisho/client/ai'
    import { scripted } from '../../model.mjs'
    const model = scripted(5, [[['call-1', 'pay', { amount: 5 }]]])
    const chatId = 'chat-1'
    const history = [{ role: 'user', content: 'Pay the bill.' }]
    const desk = new Desk()`,
  Mastra: `import { Agent } from '@mastra/core/agent'
    import { Mastra } from '@mastra/core/mastra'
    import { InMemoryStore } from '@mastra/core/storage'
    import { createTool } from '@mastra/core/tools'
    const storage = new InMemoryStore()
    import { Desk } from '@sekisho/client'
    import { scripted } from '../../model.mjs'
    const model = scripted(6, [[['call-1', 'payTool', { amount: 5 }]]])
    const instructions = 'Pay.'
    const desk = new Desk()
    const mcp = { listToolsets: async () => ({}) }`,
  'The desk alone': `import { Desk } from '@sekisho/client'
    const desk = new Desk()
    const sendMail = ({ to }) => console.log('paid ' + to)`,
}

for (const [title, given] of Object.entries(starts)) {
  test(`the start of the README: ${title}`, async () => {
    const readme = readFileSync(here('../README.md'), 'utf8')
    const block = readme.split(`## ${title}\n`)[1]?.split('```js\n')[1]?.split('```')[0]
    assert.ok(block, title)
    const pay = `import { z } from 'zod'
      const pay = { description: 'Pay', inputSchema: z.object({ amount: z.number() }), execute: ({ amount }) => void console.log('paid ' + amount) }`
    const payTool = "\nconst payTool = createTool({ id: 'payTool', ...pay })"
    mkdirSync(here('programs/readme'), { recursive: true })
    const file = here(`programs/readme/${Object.keys(starts).indexOf(title)}.mjs`)
    writeFileSync(file, [given, pay, title === 'Mastra' ? payTool : '', block, 'desk.close()', 'process.exit(0)'].join('\n'))
    const desk = await deskWith()
    const p = run(desk, file, title === 'Mastra' ? node22 : undefined)
    const [call] = await desk.waiting()
    await desk.answer(call, { approved: true })
    if (title === 'Mastra') await desk.answerNext({ approved: false }) // its second run
    assert.deepEqual((await p.said).match(/^paid .*/gm), [`paid ${call.input.amount ?? call.input.to}`])
    await desk.end()
  })
}

test('the program of sdk-mastra.md: killed while it waits, another process goes on', async () => {
  const desk = await deskWith()
  const file = written('mastra', 'sdk-mastra.md', 'pay-mastra.mjs')
  const first = run(desk, file, node22)
  const [call] = await desk.waiting()
  first.kill()
  assert.equal(await first.said, '')
  const second = run(desk, file, node22)
  await desk.answer(call, { approved: true })
  await desk.answerNext({ approved: false, reason: 'Not that much.' })
  const said = await second.said
  assert.deepEqual(said.match(/^paid .*/gm), ['paid 5'])
  assert.match(said, /^Done\.$/m)
  assert.deepEqual((await desk.calls()).map(({ status }) => status), ['declined', 'completed'])
  await desk.end()
})

test('the program of sdk-opa.md: what a rule allows runs, what it denies is not shown', async () => {
  const desk = await deskWith()
  const said = await run(desk, written('opa', 'sdk-opa.md', 'opa.mjs')).said
  assert.deepEqual(said.match(/^(read|pay|delete) .*/gm), ['read 1'])
  assert.match(said, /^shown: read_file pay$/m)
  assert.match(said, /^tool-approval-request/m)
  assert.deepEqual(await desk.calls(), [])
  await desk.end()
})

test('the programs of sdk-chat.md: the page waits, the desk answers, the page goes on', async (t) => {
  const desk = await deskWith()
  t.after(() => desk.end())
  const file = written('chat', 'sdk-chat.md', 'chat.mjs')
  // The page gets the button that other programs have, and asks the route again by itself.
  const page = written('chat', 'sdk-chat.md', 'page.jsx')
  const source = readFileSync(page, 'utf8')
  const pressed = `
      <button onClick={() => chat.addToolApprovalResponse({ id: chat.messages.at(-1).parts.find((p) => p.approval).approval.id, approved: true })}>Approve</button>
      <button onClick={() => chat.stop().then(() => chat.sendMessage())}>Again</button>
    </main>`
  assert.ok(source.includes('\n    </main>'))
  writeFileSync(page, source.replace('\n    </main>', pressed))
  const front = createRequire(here('../../../frontend/package.json'))
  const { build } = await import(pathToFileURL(front.resolve('vite')).href)
  await build({
    configFile: false, root: here('programs/chat'), logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic' } },
    build: { outDir: '.', emptyOutDir: false, minify: false, lib: { entry: page, formats: ['es'], fileName: () => 'page.js' } },
  })
  writeFileSync(here('programs/chat/page.html'), '<!doctype html><title>Chat</title><div id="root"></div><script type="module" src="/page.js"></script>')
  const env = { ...process.env, SEKISHO_URL: desk.url, SEKISHO_TOKEN: desk.token }
  const p = start(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => p.end())
  const lines = []
  const reading = (async () => {
    for await (const line of createInterface({ input: p.child.stdout })) lines.push(line)
  })()
  const logged = text(p.child.stderr)
  while (lines.length === 0) await pause(30)
  const { chromium } = front('playwright-core')
  const browser = await chromium.launch({ executablePath: process.env.SEKISHO_CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] })
  t.after(() => browser.close())
  const tab = await browser.newPage()
  await tab.goto(lines[0])
  await tab.getByRole('button', { name: 'Send' }).click()
  const waits = tab.getByText('pay {"amount":5}: waiting at Sekisho')
  await waits.waitFor()
  await desk.waiting()
  // A press on the page's own button, and the route asked again with it: nothing is approved.
  await tab.getByRole('button', { name: 'Approve' }).click()
  await tab.getByText('approval-responded').waitFor()
  await tab.getByRole('button', { name: 'Again' }).click()
  await waits.waitFor()
  await pause(300)
  const [call, ...more] = await desk.calls()
  assert.equal(call.status, 'pending')
  assert.deepEqual(more, [])
  assert.deepEqual(lines.slice(1), [])
  await desk.answer(call, { approved: true })
  await tab.getByText('The bill is paid.').waitFor()
  await tab.getByText('pay {"amount":5}: output-available').waitFor()
  await browser.close()
  await p.end()
  await reading
  assert.deepEqual(lines.slice(1), ['paid 5'])
  assert.match(await logged, /ignored 1 answers? of a page/)
})

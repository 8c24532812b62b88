// What each client does with its tools when the programs that its hooks start are gone: Sekisho was removed, and
// the client was not disconnected.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { programs } from '../clients/desk.mjs'
import { scene } from './scene.mjs'

// Without the end that connect gives to a command, and without the field by which Claude Code blocks: both make a
// no of whatever keeps the program from answering.
const byHand = (file) => {
  const bare = file.replaceAll(/ \|\| \{ \[ \$\? = 2 \][^"]*exit 2; \}/g, '').replaceAll(/,\s*"onFailure":\s*"block"/g, '')
  assert.notEqual(bare, file)
  return bare
}

/** Whether the client ran its tool with the programs gone. */
async function ran(name, change) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-installed-'))
  for (const program of ['sekisho', 'sekisho-hook']) copyFileSync(join(dirname(programs.sekisho), program), join(folder, program))
  const one = await scene(name, { script: () => [{ shell: 'touch nonce' }], program: join(folder, 'sekisho'), change })
  try {
    rmSync(folder, { recursive: true })
    await one.run()
    assert.deepEqual(await one.rows(), [], 'the desk was asked')
    return one.made().includes('nonce')
  } finally {
    await one.end()
  }
}

for (const name of ['claude', 'claude-2.1.197', 'codex', 'gemini', 'copilot', 'opencode'])
  test(`${name} runs no tool by the hooks of connect once their program is gone`, { timeout: 180_000 }, async () => {
    assert.equal(await ran(name), false)
  })

for (const [name, runs] of [['claude', true], ['claude-2.1.197', true], ['codex', true], ['gemini', false], ['copilot', false]])
  test(`${name} ${runs ? 'runs' : 'runs no'} tools by a bare command once its program is gone`, { timeout: 180_000 }, async () => {
    assert.equal(await ran(name, byHand), runs)
  })

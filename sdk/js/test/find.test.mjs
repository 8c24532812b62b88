// Where the desk is and whose token is used, in the order of the program `sekisho`.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const { findToken, findUrl } = await import(
  new URL('dist/connection.js', import.meta.resolve('@sekisho/client').replace(/dist\/.*$/, ''))
)

/** Runs with other variables of the environment, and folders for what the desk writes. */
function within(run) {
  const home = mkdtempSync(join(tmpdir(), 'sekisho-find-'))
  const before = { ...process.env }
  for (const name of ['SEKISHO_URL', 'SEKISHO_TOKEN']) delete process.env[name]
  for (const name of ['XDG_RUNTIME_DIR', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME']) process.env[name] = join(home, name)
  const write = (path, text) => {
    mkdirSync(join(home, path, '..'), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  try {
    run(write)
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
    rmSync(home, { recursive: true })
  }
}

const linux = { skip: process.platform !== 'linux' && 'the folders are those of Linux' }

test('the address: the given one, SEKISHO_URL, the running desk, else none', linux, () => {
  within((write) => {
    const found = () => findUrl({}).href
    assert.throws(found, /Sekisho is not running/)
    write('XDG_DATA_HOME/sekisho/desk.json', JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid }))
    assert.equal(found(), 'http://127.0.0.1:1/')
    write('XDG_RUNTIME_DIR/sekisho/desk.json', JSON.stringify({ url: 'http://127.0.0.1:2', pid: process.pid }))
    assert.equal(found(), 'http://127.0.0.1:2/')
    // What a desk that has ended left behind names nobody.
    write('XDG_RUNTIME_DIR/sekisho/desk.json', JSON.stringify({ url: 'http://127.0.0.1:2', pid: 2 ** 22 + 7 }))
    assert.equal(found(), 'http://127.0.0.1:1/')
    process.env.SEKISHO_URL = 'http://127.0.0.1:3'
    assert.equal(found(), 'http://127.0.0.1:3/')
    assert.equal(findUrl({ url: 'http://127.0.0.1:4' }).href, 'http://127.0.0.1:4/')
  })
})

test("the token: the given one, the agent's kept one, SEKISHO_TOKEN, else none", linux, () => {
  within((write) => {
    assert.throws(() => findToken({}), /no agent's token/)
    process.env.SEKISHO_TOKEN = ' ska_env\n'
    assert.equal(findToken({}), 'ska_env')
    write('XDG_CONFIG_HOME/sekisho/agents/app.token', 'ska_kept\n')
    assert.equal(findToken({ agent: 'app' }), 'ska_kept')
    assert.equal(findToken({ agent: 'app', token: 'ska_given' }), 'ska_given')
    for (const agent of ['', '.', '..', '../app', 'a/b', 'a\\b']) {
      assert.throws(() => findToken({ agent }), /is not an agent's name/, agent)
    }
    assert.throws(() => findToken({ agent: 'nobody' }), { code: 'ENOENT' })
  })
})

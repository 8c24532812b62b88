// The proof of the desk, by the figures of backend/proof/proof_test.go.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const { dialled, proofKey, proofOf } = await import(
  new URL('dist/connection.js', import.meta.resolve('@sekisho/client').replace(/dist\/.*$/, ''))
)

test('a key and a proof are those of the desk', () => {
  assert.equal(proofKey('sko_example'), '40dbaf73ad9df7ac')
  const proof = proofOf('sko_example', '0123456789abcdef0123456789abcdef', '127.0.0.1:7360')
  assert.equal(proof, 'a5d908b2f9d693235e0bebf3a5f13a77239b8ee8a672072cd6123ed55c17e450')
})

test('the address is the one that was reached', () => {
  for (const [host, remoteAddress, want] of [
    ['127.0.0.1', '127.0.0.1', '127.0.0.1:80'],
    ['localhost', '::1', '[::1]:80'],
    ['LocalHost', '127.0.0.1', '127.0.0.1:80'],
    ['0.0.0.0', '127.0.0.1', '127.0.0.1:80'],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.1', '127.0.0.1:80'],
    ['fe80::1', 'fe80::1%eth0', '[fe80::1]:80'],
    ['Desk.Example', '203.0.113.7', 'desk.example:80'],
  ]) {
    assert.equal(dialled(host, 80, { remoteAddress, remotePort: 80 }), want)
  }
})

// A server between the client and the desk, which proves itself as the desk does.

import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { Desk } from '@sekisho/client'

/**
 * Gives a client of a server that passes on to the desk what `hook(path, body, to, pass, headers)`
 * does not answer by itself; `asked` are the requests so far.
 */
export async function between(t, desk, hook) {
  const asked = []
  const sha256 = (data) => createHash('sha256').update(data).digest()
  const whole = (to, status, text, headers = {}) =>
    to.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers }).end(text)
  const server = createServer(async (q, to) => {
    let body = ''
    for await (const part of q) body += part
    if (q.url === '/v1/proof') {
      const { nonce, address } = JSON.parse(body)
      const text = `sekisho-proof-1\n${nonce}\n${address}`
      return void whole(to, 200, JSON.stringify({ proof: createHmac('sha256', sha256(desk.token)).update(text).digest('hex') }))
    }
    asked.push(`${q.method} ${q.url}`)
    const pass = async () => {
      const headers = { authorization: q.headers.authorization, 'content-type': 'application/json' }
      const a = await fetch(desk.url + q.url, { method: q.method, headers, body: body || undefined })
      return { status: a.status, text: await a.text() }
    }
    const own = await hook(q.url, body, to, pass, q.headers)
    if (own === 'done') return
    const { status, text, headers } = own ?? (await pass())
    whole(to, status, text, headers)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const asking = new Desk({ url: `http://127.0.0.1:${server.address().port}`, token: desk.token })
  t.after(() => {
    asking.close()
    server.closeAllConnections()
    server.close()
  })
  return { asking, asked }
}

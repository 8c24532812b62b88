// The test that a client sees the same of a server behind the desk as of the bare server,
// both over stdio and over HTTP.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openDesk } from './desk.mjs'
import { plan, survey } from './survey.mjs'

/**
 * asks leaves questions out: a filter over [method, ...arguments]. A client that finds out
 * by itself which era of MCP a server speaks (eras) finds the later one at the desk before
 * servers of the earlier: all but what the eras themselves differ in is the same then.
 */
export function seesTheSame(clients, servers, { asks = () => true, eras = false } = {}) {
  const compared = eras ? withoutEra : (seen) => seen
  let desk, folder, bare

  before(async () => {
    desk = await openDesk([{ effect: 'allow', priority: 0, note: 'all' }])
    folder = desk.folder('files')
    bare = { everything: desk.everything(), files: desk.files(folder) }
    if (servers.includes('everything-http')) bare['everything-http'] = await desk.everythingOverHTTP()
    await desk.serve(bare)
  })

  after(() => desk?.end())

  const see = async (client, way, server) => {
    const opened = await client.open(way, { roots: [`file://${folder}`] })
    try {
      return await survey(opened, plan(server, folder).filter(asks))
    } finally {
      await opened.close()
    }
  }

  for (const client of clients) {
    describe(client.name, () => {
      for (const server of servers) {
        test(server, async (t) => {
          const expected = await see(client, bare[server], server)
          assert.match(JSON.stringify(expected), /"inputSchema"/, "the bare server's tools were seen")
          const ways = await desk.ways(`${client.name} ${server}`, server)
          for (const [kind, way] of Object.entries(ways)) {
            await t.test(kind, async () => assert.deepEqual(compared(await see(client, way, server)), compared(expected)))
          }
        })
      }
    })
  }
}

// Members that only one of the eras has, or that name it.
const ofAnEra = ['tasks', 'execution', 'ttlMs', 'cacheScope', 'resultType', 'protocolVersion']

/**
 * Leaves out what belongs to an era; and what a client's connections before it made, since the
 * later era has no sessions.
 */
function withoutEra(seen) {
  return JSON.parse(
    JSON.stringify(seen, (key, v) => {
      if (ofAnEra.includes(key)) return undefined
      return Array.isArray(v) ? v.filter((item) => !item?.uri?.startsWith('demo://resource/session/')) : v
    }),
  )
}

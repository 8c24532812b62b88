import { expect, it } from 'vitest'
import { tellApart } from './tell-apart'

const agent = (agentId: string, agentName: string) => ({ agentId, agentName })
const apart = (...agents: ReturnType<typeof agent>[]) => Object.fromEntries(tellApart(agents))

it('agents with names of their own need nothing', () => {
  expect(apart(agent('1-aaaa', 'scribe'), agent('1-bbbb', 'nightly'), agent('1-aaaa', 'scribe'))).toEqual({})
})

it('agents of one name are told apart by the ends of their ids, as short as they can be', () => {
  expect(apart(agent('0192-1111aaaa', 'scribe'), agent('0192-2222bbbb', 'scribe'), agent('x', 'nightly'))).toEqual({ '0192-1111aaaa': 'aaaa', '0192-2222bbbb': 'bbbb' })
  expect(apart(agent('0192-1aaaa', 'scribe'), agent('0192-2aaaa', 'scribe'))).toEqual({ '0192-1aaaa': '1aaaa', '0192-2aaaa': '2aaaa' })
})

it.each(['Scribe', 'scribe ', 'scr\u0456be', 'scr\u200bibe', '\uff53cribe'])('%j is taken for scribe, so it is told apart', (name) => {
  expect(Object.keys(apart(agent('1-aaaa', 'scribe'), agent('1-bbbb', name)))).toHaveLength(2)
})

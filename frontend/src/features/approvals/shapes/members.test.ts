import { describe, expect, it } from 'vitest'
import { membersOf } from './members'

describe('membersOf', () => {
  it('gives each member of the outermost object, and what is said by those that are strings', () => {
    expect(membersOf('{"a":"x\\n","b" : {"a":[1,{"c":2}],"d":"}"},"c":[],"d":{},"e":12345678901234567890 , "\\u0066":null}')).toEqual([
      { key: 'a', text: 'x\n' },
      { key: 'b', text: null },
      { key: 'c', text: null },
      { key: 'd', text: null },
      { key: 'e', text: null },
      { key: 'f', text: null },
    ])
  })

  it.each(['{}', '[{"a":1}]', '"a"', "{'a':1}", '{"a":1', `{"a":"${'x'.repeat(300_000)}"}`])('gives none of %.20s', (raw) => {
    expect(membersOf(raw)).toEqual([])
  })
})

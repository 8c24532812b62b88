import { describe, expect, it } from 'vitest'
import { membersOf } from './members'

describe('membersOf', () => {
  it('gives each member of the outermost object as it was sent', () => {
    expect(membersOf('{"a":"x\\n","b" : {"a":[1,{"c":2}],"d":"}"},"c":[],"d":{},"e":12345678901234567890 , "\\u0066":null}')).toEqual([
      { key: 'a', raw: '"x\\n"', text: 'x\n' },
      { key: 'b', raw: '{"a":[1,{"c":2}],"d":"}"}', text: null },
      { key: 'c', raw: '[]', text: null },
      { key: 'd', raw: '{}', text: null },
      { key: 'e', raw: '12345678901234567890', text: null },
      { key: 'f', raw: 'null', text: null },
    ])
  })

  it.each(['{}', '[{"a":1}]', '"a"', "{'a':1}", '{"a":1', `{"a":"${'x'.repeat(300_000)}"}`])('gives none of %.20s', (raw) => {
    expect(membersOf(raw)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { elements, member } from './raw-json'

describe('raw JSON', () => {
  it.each([
    ['{"rule":{"n":9007199254740993,"s":"}],{"},"x":1}', 'rule', '{"n":9007199254740993,"s":"}],{"}'],
    ['{ "a" : [1, 2] ,\n"b": 5.0 }', 'b', '5.0'],
    ['{"a":{"b":1}}', 'b', 'null'],
    ['{"\\u0062":true}', 'b', 'true'],
    ['{"say \\"b\\": 1":2,"b":"\\\\"}', 'b', '"\\\\"'],
    ['{}', 'a', 'null'],
  ])('cuts a member out of %j', (raw, name, text) => {
    expect(member(raw, name)).toBe(text)
  })

  it.each([
    ['[1.0, {"a":[2,3]},"x,]"]', ['1.0', '{"a":[2,3]}', '"x,]"']],
    ['[]', []],
    ['null', []],
    [' [ ] ', []],
  ])('cuts %j into its elements', (raw, parts) => {
    expect(elements(raw)).toEqual(parts)
  })
})

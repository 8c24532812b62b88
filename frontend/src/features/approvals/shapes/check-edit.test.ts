import { describe, expect, it } from 'vitest'
import { checkEdit } from './check-edit'

describe('checkEdit', () => {
  it.each(['{}', ' {"a":{"b":1},"b":{"a":2},"c":[{"a":1},{"a":1}]} ', '{"a":"\\ud83d\\ude00"}', `{"a":${'['.repeat(127)}${']'.repeat(127)}}`])('takes %.60s', (text) => {
    expect(checkEdit(text, '{}')).toBeNull()
  })

  it('takes a list where a list was sent', () => {
    expect(checkEdit('[1]', ' ["a"]')).toBeNull()
  })

  it.each([
    ['{"a":1,\n "b" 2}', { kind: 'notJson', line: 2, column: 6, key: '' }],
    ['', { kind: 'notJson', line: 1, column: 1, key: '' }],
    ['{"a":1}}', { kind: 'notJson', line: 1, column: 8, key: '' }],
    ['{\n"a":1,\n"\\u0061":2}', { kind: 'duplicate', line: 3, column: 1, key: 'a' }],
    ['{"x":[{"a":1,"b":2,"a":3}]}', { kind: 'duplicate', line: 1, column: 20, key: 'a' }],
    ['{"a":"\\ud83d"}', { kind: 'surrogate', line: 1, column: 6, key: '' }],
    ['{"\\udc00":1}', { kind: 'surrogate', line: 1, column: 2, key: '' }],
    ['\n ["a"]', { kind: 'notObject', line: 2, column: 2, key: '' }],
    ['5', { kind: 'notObject', line: 1, column: 1, key: '' }],
    [`{"a":${'['.repeat(128)}${']'.repeat(128)}}`, { kind: 'deep', line: 1, column: 133, key: '' }],
  ])('says what is wrong with %.60s, and where', (text, problem) => {
    expect(checkEdit(text, '{}')).toEqual(problem)
  })
})

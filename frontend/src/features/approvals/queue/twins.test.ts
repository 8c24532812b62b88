import { describe, expect, it } from 'vitest'
import { sampleCall } from '../../../test/samples'
import { twinsOf } from './twins'
import { wornKey } from './worn'

describe('a prompt and a tool of one name', () => {
  const tool = sampleCall({ id: 'a', inputHash: 'sha256:same', method: 'tools/call' })
  const prompt = sampleCall({ id: 'b', inputHash: 'sha256:same', method: 'prompts/get' })

  it('are not alike', () => {
    expect(twinsOf(prompt, [tool, prompt])).toEqual([])
    expect(twinsOf(tool, [tool, { ...tool, id: 'c' }]).map(({ id }) => id)).toEqual(['c'])
  })

  it('are not declined together', () => {
    expect(wornKey(tool)).not.toBe(wornKey(prompt))
  })
})

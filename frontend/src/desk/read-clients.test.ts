import { describe, expect, it } from 'vitest'
import { clientFiles } from './read-clients'

const entry = { key: 'a', folder: '', state: 'left', off: false, reason: 'it does', serverId: '' }
const file = { id: 'f', name: 'Cursor', path: '/c', state: 'left', error: '', entries: [], move: null, back: null }

describe('what the desk says of clients’ files', () => {
  it('has why an entry is left, what is off, and what is left over', () => {
    const why = { code: 'signs_in', field: 'auth', name: '', value: '' }
    const said = clientFiles({ machine: 'm', program: '/p', leftovers: ['old'], files: [{ ...file, entries: [{ ...entry, why }, { ...entry, why: null, state: 'direct', off: true }] }] })
    expect(said.leftovers).toEqual(['old'])
    expect(said.files[0]?.entries).toEqual([{ ...entry, why }, { ...entry, why: null, state: 'direct', off: true }])
  })

  it('has why an entry, or its file, is not put back', () => {
    const why = { code: 'other_name', field: '', name: 'mine', value: '' }
    const back = { shown: '', error: 'it is stuck', why, entries: [{ key: 'a', outcome: 'conflict', reason: 'it is', why }, { key: 'b', outcome: 'back', reason: '', why: null }], copies: [], theirs: { lines: [] }, difference: { lines: [] } }
    const read = (of: object) => clientFiles({ machine: 'm', program: '/p', files: [{ ...file, back: of }] }).files[0]?.back
    expect(read(back)).toMatchObject({ error: 'it is stuck', why, entries: back.entries })
    expect(read({ ...back, why: undefined, entries: [{ key: 'a', outcome: 'conflict', reason: 'it is' }] })).toMatchObject({ why: null, entries: [{ reason: 'it is', why: null }] })
  })

  it('may be that of an earlier desk', () => {
    const said = clientFiles({ machine: 'm', program: '/p', files: [{ ...file, entries: [entry] }] })
    expect(said.leftovers).toEqual([])
    expect(said.files[0]?.entries[0]).toEqual({ ...entry, why: null })
  })
})

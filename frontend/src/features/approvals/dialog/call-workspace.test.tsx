import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import type { Look } from '../../../desk/types'
import { sampleLook } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { CallWorkspace } from './call-workspace'

type Place = NonNullable<Look['workspace']>

const place: Place = { folder: '/home/ada/web', execution: 'desk', program: 'git', verb: 'commit', network: false, confinement: 'full', missing: [] }

async function told(part: Partial<Place>, edited = false, known = true): Promise<string> {
  const looked = { known: true, look: sampleLook({ workspace: known ? { ...place, ...part } : { folder: '/home/ada/web', execution: 'desk', program: 'ls', verb: '', network: false, missing: [] } }), fileChanged: false, version: '' }
  renderAt(new FakeDesk(), <CallWorkspace looked={looked} edited={edited} />)
  return (await screen.findByRole('list', { name: 'Where it runs' })).textContent
}

it('tells folder, program with its command, network and confinement', async () => {
  expect(await told({})).toBe('In the folder /home/ada/web, by the deskStarts git commit without a networkConfined to the folder ')
})

it('warns of a command that nothing confines, and says what is missing', async () => {
  const text = await told({ network: true, verb: 'clone', confinement: 'none', missing: ['landlock'] })
  expect(text).toContain('Starts git clone with a network')
  expect(text).toContain('Not confined: it can do all that you can This computer lacks: landlock')
})

it('takes a confinement that is not known for none', async () => {
  expect(await told({}, false, false)).toContain('Not confined')
})

it('tells of a call at a client that the desk does not see what is there', async () => {
  const text = await told({ execution: 'client', program: '', verb: '' })
  expect(text).toBe('At a client that holds the files (/home/ada/web): the desk does not see what is there now')
})

it('says nothing of the program of an edited input', async () => {
  expect(await told({}, true)).toBe('In the folder /home/ada/web, by the desk')
})

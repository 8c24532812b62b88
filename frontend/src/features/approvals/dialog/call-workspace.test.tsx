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

it('takes a confinement that is not known for none, and says nothing of the network', async () => {
  const text = await told({}, false, false)
  expect(text).toContain('Not confined')
  expect(text).not.toContain('network')
})

it('says that a command has a network where nothing takes it away', async () => {
  expect(await told({ confinement: 'none', missing: ['landlock', 'pid namespace', 'network namespace', 'seccomp'] })).toContain('git commit with a network')
})

it('says that a command has no network where its sockets alone are refused', async () => {
  expect(await told({ confinement: 'none', missing: ['landlock', 'network namespace'] })).toContain('git commit without a network')
})

it('claims nothing of what confines a command at a client', async () => {
  const text = await told({ execution: 'client' })
  expect(text).toContain('Starts git commit How far it is confined there is not known')
})

it('tells of a call at a client that the desk does not see what is there', async () => {
  const text = await told({ execution: 'client', program: '', verb: '' })
  expect(text).toBe('At a client that holds the files (/home/ada/web): the desk does not see what is there now')
})

it('says nothing of the program of an edited input', async () => {
  expect(await told({}, true)).toBe('In the folder /home/ada/web, by the desk')
})

/** The window as it is shipped, by the names that assistive technology hears, and nothing else. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessibleTree, press, seen, write } from './harness/accessibility'
import { openWindow, prepare } from './harness/desktop'
import { ask, request, type SeenCall } from './harness/operator'
import { until } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

/** What each screen has: its title, and the names of what can be done there. */
const screens: readonly { link: string; title: string; controls: readonly string[] }[] = [
  { link: 'Rules', title: 'Rules', controls: ['Add a rule', 'Try a call', 'What can pass?', 'Import', 'Export', 'From my history', 'Search the rules', 'Effect', 'Server'] },
  { link: 'Grants', title: 'Live grants', controls: ['Hold everything', 'Keep as a rule', 'End'] },
  { link: 'Activity', title: 'Activity', controls: ['Export the journal', 'Search', 'Show'] },
  { link: 'Insights', title: 'Insights', controls: ['Pause 15 minutes', 'Pause 60 minutes', 'Show', 'The numbers of the charts'] },
  { link: 'Servers', title: 'Servers', controls: ['Add a server', 'Test filesystem', 'Edit filesystem', 'Remove filesystem'] },
  { link: 'Agents', title: 'Agents', controls: ['Name', 'Create an agent', 'Stop scribe', 'Revoke scribe'] },
  { link: 'Settings', title: 'Settings', controls: ['Language', 'Appearance', 'Low risk expires', 'Seconds to undo an approval'] },
]

const control = /button|link|entry|text|combo|check|table|section|landmark|panel|search/

test('all screens are reached by their names; one call is decided, one rule made, one grant ended', async () => {
  const { data, files, agentToken } = await prepare()
  const { place } = await openWindow(session, data)
  const call = async (tool: string) => ((await request(place.url, agentToken, 'GET', '/v1/calls')).body.calls as SeenCall[]).find(({ toolName }) => toolName === tool)

  // A call is decided: no, with a reason of the person's own.
  await ask(place.url, agentToken, 'write_file', { serverId: 'filesystem', input: { path: join(files, 'no.txt'), content: 'x' } })
  await seen(session, /alert|dialog/, 'scribe wants to create')
  await write(session, 'Reason for declining', 'into drafts, please')
  await press(session, 'Decline')
  await until('the no', async () => (await call('write_file'))?.status === 'declined')
  expect(await call('write_file')).toMatchObject({ decision: { by: 'person', reason: 'into drafts, please' } })

  // Another is approved for its kind, which leaves a grant.
  await ask(place.url, agentToken, 'launch')
  await seen(session, /alert|dialog/, 'scribe wants to run launch')
  await press(session, 'launch', 'radio')
  await press(session, 'Approve')
  await until('the yes', async () => (await call('launch'))?.status === 'approved')

  for (const { link, title, controls } of screens) {
    await press(session, link, 'link')
    await until(`what ${title} has`, async () => {
      const tree = await accessibleTree(session)
      if (!tree.some(({ role, name }) => role === 'heading' && name === title)) throw new Error(`no ${title}`)
      const names = tree.filter(({ role }) => control.test(role)).map(({ name }) => name)
      // The engine tells of a placeholder after the name.
      const missing = controls.filter((wanted) => !names.some((name) => name === wanted || name.startsWith(`${wanted} `)))
      if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`)
      return true
    })
    if (link === 'Rules') {
      await press(session, 'Add a rule')
      await write(session, 'Server', 'rockets')
      await write(session, 'Tool name', 'look_up')
      await write(session, 'Priority', '50')
      await press(session, 'Allow', 'radio')
      await press(session, 'Save')
      await until('the rule to count', async () => (await request(place.url, agentToken, 'POST', '/v1/evaluate', { serverId: 'rockets', toolName: 'look_up', input: {} })).body.decision === 'allow')
    }
    if (link === 'Grants') {
      await press(session, 'End')
      await seen(session, /./, 'No grants')
      await ask(place.url, agentToken, 'launch', { toolCallId: 'after' })
      await seen(session, /alert|dialog/, 'scribe wants to run launch')
      await press(session, 'Later')
    }
  }
  await press(session, 'Waiting 1', 'link')
  await seen(session, /heading/, 'Waiting')
  await seen(session, /button/, 'Review launch')
}, 300_000) // fifty steps, for each of which the engine tells of the whole page

import { afterAll, beforeAll, test } from 'vitest'
import { driveWindow, inDialog, prepare } from './harness/desktop'
import { ask } from './harness/operator'
import { until } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

let session: XSession
beforeAll(async () => {
  session = await startXSession()
})
afterAll(() => session.end())

test('a call shows at once when it comes and leaves at once when it is taken back', async () => {
  const { data, agentToken } = await prepare()
  const { driver, place } = await driveWindow(session, data)
  await driver.find("//nav//*[contains(., 'Rules')]")
  // Without word from the desk the page would find out within four seconds: not eight times in a row.
  for (const tool of ['one', 'two', 'three', 'four']) {
    const { cancel } = await ask(place.url, agentToken, tool)
    await driver.find(inDialog(tool).box, 2_500)
    await cancel()
    await until('the dialog to leave', async () => !(await driver.has(inDialog(tool).box)), 2_500)
  }
})

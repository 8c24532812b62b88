import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'sekisho-e2e-settings-'))

/** Gives the programs of all tests a settings folder of their own: the keys of their journals are not left among those of the person who runs the tests. */
export function setup() {
  process.env.XDG_CONFIG_HOME = folder
}

/** Removes that folder. */
export function teardown() {
  rmSync(folder, { recursive: true, force: true })
}

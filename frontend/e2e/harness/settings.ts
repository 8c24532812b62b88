import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'sekisho-e2e-settings-'))

/**
 * Gives the programs of all tests a home and settings of their own: nothing is left among those of the person who runs the tests, and
 * neither that person's apps nor what their shell does at its start are part of a test.
 */
export function setup() {
  process.env.HOME = folder
  process.env.XDG_CONFIG_HOME = folder
}

/** Removes that folder. What a program that ends still writes into it may stand in the way for a moment. */
export function teardown() {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

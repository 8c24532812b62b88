import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { askBytes } from './deceit'
import { setUp, type Setting } from './fixtures'

/** Inputs of ten megabytes, the end of which matters. */
export const inputs: readonly (readonly [string, () => string])[] = [
  ['of one string', () => JSON.stringify({ text: 'A'.repeat(10_000_000), then: '; rm -rf ~\u200b' })],
  ['of numbers', () => JSON.stringify({ text: Array.from({ length: 990_000 }, (_, i) => 1_000_000_000 + i), then: '; rm -rf ~\u200b' })],
  ['of escapes and letters beyond ASCII', () => JSON.stringify({ text: '安\u202e"\\\n p\u0430y '.repeat(700_000), then: '; rm -rf ~\u200b' })],
]

/** A desk that takes inputs of a million numbers. */
export async function roomy(): Promise<Setting> {
  const setting = await setUp()
  await setting.desk.changeSettings({ limits: { inputMembers: 1_000_000 } })
  return setting
}

/** Asks for a call with this input, and waits until its dialog has it. */
export async function askHuge({ desk, agentToken }: Setting, page: Page, input: string): Promise<void> {
  const made = await askBytes(desk.url, agentToken, { toolName: 'run', serverId: 'shell', input })
  expect(made.status, made.body.slice(0, 300)).toBe(201)
  await folded(page)
}

/** Waits until the dialog shows what it folds away of an input. */
export async function folded(page: Page): Promise<void> {
  await page.getByRole('alertdialog').getByText('characters are folded here').first().waitFor({ timeout: 30_000 })
}

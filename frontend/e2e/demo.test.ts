import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { Child } from './harness/child'
import { program } from './harness/paths'
import { until } from './harness/wait'

const exact = 'What ran is exactly what was allowed or approved.'

test('the demo answers itself without a terminal', async () => {
  const demo = new Child(program('sekisho'), ['demo'])
  expect(await demo.ended(60_000)).toBe(0)
  expect(demo.stdout).toContain('The agent got: The barrier opens at dawn.')
  expect(demo.stdout).toContain('Declined by a person: Leave that file where it is.')
  expect(demo.stdout).toMatch(/call\.finished .* completed/)
  expect(demo.stdout.trimEnd().endsWith(exact)).toBe(true)
})

/** Runs the demo in a terminal, and types an answer at each of its questions. */
async function inTerminal(...answers: string[]): Promise<{ code: number | null; text: string }> {
  const terminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
  const demo = spawn('/usr/bin/python3', ['-c', terminal, program('sekisho'), 'demo'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  demo.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  for (const [asked, answer] of answers.entries()) {
    await until('a question', () => text.split('Approve? [').length > asked + 1, 30_000)
    demo.stdin.write(`${answer}\n`)
  }
  await until('the end', () => demo.exitCode !== null, 30_000)
  return { code: demo.exitCode, text }
}

test('a person answers the demo in a terminal', async () => {
  const { code, text } = await inTerminal('y', 'leave it there')
  expect(code).toBe(0)
  expect(text).toContain('Declined by a person: leave it there')
  expect(text).toContain(exact)
})

test('what the person declines in the demo does not run, and what is approved does', async () => {
  const { code, text } = await inTerminal('n', 'yes')
  expect(code).toBe(0)
  expect(text).toContain('Successfully moved')
  expect(text).not.toContain('Successfully wrote')
})

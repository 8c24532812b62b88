// A hook that notes how it was started and answers as told: hook.mjs FOLDER ANSWER [TEXT].
// ANSWER: pass, exit0 (prints TEXT), exit1, exit2 (TEXT on stderr), both (exit 2,
// TEXT on stdout and REASON on stderr), hang, kill.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, answer, text = ''] = process.argv.slice(2)
const stdin = readFileSync(0, 'utf8')
const note = { argv: process.argv.slice(2), env: Object.keys(process.env).sort(), cwd: process.cwd(), at: Date.now(), stdin }
writeFileSync(join(folder, `${String(readdirSync(folder).length).padStart(3, '0')}-${process.pid}.json`), JSON.stringify(note))
if (answer === 'hang') setInterval(() => {}, 1000)
if (answer === 'kill') process.kill(process.pid, 'SIGKILL')
if (answer === 'exit0' || answer === 'both') process.stdout.write(text)
if (answer === 'both') {
  process.stderr.write('REASON')
  process.exitCode = 2
}
if (answer === 'exit1' || answer === 'exit2') {
  process.stderr.write(text)
  process.exitCode = Number(answer.slice(4))
}

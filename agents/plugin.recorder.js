import { readdirSync, writeFileSync } from 'node:fs'

const note = (event, rest) => {
  const folder = process.env.RECORD
  const name = `${String(readdirSync(folder).length).padStart(3, '0')}.json`
  const stdin = JSON.stringify({ event, ...rest })
  writeFileSync(`${folder}/${name}`, JSON.stringify({ env: Object.keys(process.env).sort(), cwd: process.cwd(), stdin }))
}

export const Recorder = async () => ({
  event: async ({ event }) => {
    if (event.type.startsWith('permission.')) note(event.type, event)
  },
  'tool.execute.before': async (input, output) => note('tool.execute.before', { input, output }),
  'tool.execute.after': async (input, output) => note('tool.execute.after', { input, output }),
  'permission.ask': async (input, output) => note('permission.ask', { input, output }),
})

// Sekisho's plugin for opencode: every tool is asked about at the desk before it runs. Written by
// "sekisho connect", which replaces COMMAND by the program and its arguments, and taken away by
// "sekisho disconnect".

import { spawn } from "node:child_process"

const command = COMMAND
const deadline = 660_000 // milliseconds; the desk answers before

/** Gives an event to the program. Anything but exit 0 is a no, and what it wrote to stderr is the reason. */
const ask = (event) =>
  new Promise((resolve, reject) => {
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "ignore", "pipe"], windowsHide: true })
    const no = (reason) => reject(new Error(reason.trim() || "Sekisho did not allow this, and gave no reason"))
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      no("Sekisho did not answer in time")
    }, deadline)
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text) => (said += text))
    child.stdin.on("error", () => {}) // it ended without reading: its exit code says so
    child.on("error", (error) => (clearTimeout(late), no(`Sekisho could not be asked: ${error.message}`)))
    child.on("close", (code) => (clearTimeout(late), code === 0 ? resolve() : no(said)))
    child.stdin.end(JSON.stringify(event))
  })

export const Sekisho = async ({ client, directory }) => {
  const allowed = new Set() // the calls that the desk said yes to and that have not ended
  return {
    "tool.execute.before": async (input, output) => {
      await ask({ event: "tool.execute.before", directory, input, output })
      allowed.add(input.callID)
    },
    "tool.execute.after": async ({ callID }) => {
      allowed.delete(callID)
    },
    // opencode's own question about such a call has its answer already.
    event: async ({ event }) => {
      const { id, sessionID, tool } = event.properties ?? {}
      if (event.type !== "permission.asked" || !allowed.has(tool?.callID)) return
      await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response: "once" } })
    },
  }
}

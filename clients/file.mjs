// A file that shows how often a call was executed.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export class Counted {
  constructor(folder, name) {
    this.path = join(folder, name.replaceAll(/[^a-z0-9]+/gi, '-') + '.txt')
    writeFileSync(this.path, 'x')
  }

  /** The call that counts, as [tool, arguments]. */
  get call() {
    return ['edit_file', { path: this.path, edits: [{ oldText: 'x', newText: 'xy' }] }]
  }

  /** How often the call was executed. */
  get executed() {
    return readFileSync(this.path, 'utf8').length - 1
  }
}

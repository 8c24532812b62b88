import * as inspector from './inspector.mjs'
import { seesTheSame } from './same.mjs'

// Each question is a process, so it is not asked all of them.
const tools = ['echo', 'get-sum', 'get-structured-content', 'no-such-tool', 'write_file', 'read_text_file']

seesTheSame([inspector], ['everything', 'files'], {
  asks: ([method, tool]) => method !== 'call' || tools.includes(tool),
})

import { asksAtTheDesk } from './door.mjs'

// Two faults as seen, their causes not looked into: after a person's yes the tool did not run.
asksAtTheDesk('copilot', {
  'asks once with the same hooks in two files': 'known fault: approved, and did not run',
  'asks once for a tool of a server behind the desk': 'known fault: approved, and did not run',
})

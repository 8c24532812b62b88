import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('copilot', {
  'asks once with the same hooks in two files': 'known fault: after the yes the tool did not run, since Copilot names no call',
})

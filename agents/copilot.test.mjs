import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('copilot')

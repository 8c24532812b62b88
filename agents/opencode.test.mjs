import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('opencode')

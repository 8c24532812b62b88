import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('codex')

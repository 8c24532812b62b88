import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('claude-2.1.197')

import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('claude')

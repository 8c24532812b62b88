import { asksAtTheDesk } from './door.mjs'

asksAtTheDesk('gemini')

import { asksAtTheDesk, asksLater } from './door.mjs'

asksAtTheDesk('claude-2.1.197')
asksLater('claude-2.1.197')

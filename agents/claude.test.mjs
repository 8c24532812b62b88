import { asksAtTheDesk, asksLater } from './door.mjs'

asksAtTheDesk('claude')
asksLater('claude')

/** The front end over a desk in memory, to look at screens. Never part of the build. */
import { createRoot } from 'react-dom/client'
import { App } from '../src/app/app'
import { applyTheme } from '../src/app/theme'
import { exampleRules } from '../src/desk/example-rules'
import { FakeDesk } from '../src/desk/fake-desk'
import { Entrance } from '../src/desk/open-desk'
import { firstLanguage, storeLanguage } from '../src/i18n/language'
import { languages } from '../src/i18n/catalogue'
import { firstWords, loadWords } from '../src/i18n/words'
import '../src/styles/base.css'
import { fill } from './sample'

const query = new URLSearchParams(window.location.search)
const theme = query.get('theme')
applyTheme(theme === 'dark' || theme === 'light' ? theme : 'system')
storeLanguage(languages.find((l) => l === query.get('lang')) ?? 'en')

await loadWords(firstWords, firstLanguage())
const desk = new FakeDesk()
const scene = query.get('scene') ?? 'all'
fill(desk, scene)
if (scene !== 'empty') for (const form of exampleRules) void desk.createRule(form)

const root = document.getElementById('root')
if (root) createRoot(root).render(<App entrance={scene === 'signin' ? new Entrance({ signedOut: 'none' }) : new Entrance({ desk })} />)
if (query.has('quiet')) void desk.changeSettings({ window: { quiet: true } })
if (query.has('compact')) desk.compact(true)
Object.assign(window, { desk })

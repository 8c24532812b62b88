import './styles/base.css' // first: it says the order of layers
import { earlyWords } from './i18n/early-words'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { loadAhead } from './app/load-ahead'
import { applyTheme, storedTheme } from './app/theme'
import { openDesk, type Entrance } from './desk/open-desk'
import { firstLanguage } from './i18n/language'

/** When the desk is first told that a person is looking: after the first screen. */
const presenceMs = 1_000

async function start(): Promise<void> {
  applyTheme(storedTheme())
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  const starting = Promise.all([enter(), earlyWords])
  try {
    const [entrance, language] = await starting
    setTimeout(() => {
      void import('./desk/presence').then(({ tellPresence }) => {
        tellPresence(entrance)
      }, () => undefined)
    }, presenceMs)
    createRoot(root).render(
      <StrictMode>
        <App entrance={entrance} language={language} />
      </StrictMode>,
    )
  } catch (error) {
    const again = document.createElement('a')
    again.href = location.href
    again.textContent = 'Reload'
    root.append('Sekisho could not be loaded. ', again) // there are no words to say it in another language
    throw error
  }
}

async function enter(): Promise<Entrance> {
  const entrance = await openDesk()
  const opened = entrance.state()
  if ('desk' in opened) await loadAhead(opened.desk, firstLanguage())
  return entrance
}

void start()

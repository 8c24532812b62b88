import { earlyWords } from './i18n/early-words'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { applyTheme, storedTheme } from './app/theme'
import { openDesk } from './desk/open-desk'
import './styles/base.css'

async function start(): Promise<void> {
  applyTheme(storedTheme())
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  const starting = Promise.all([openDesk(), earlyWords])
  try {
    const [entrance, language] = await starting
    void import('./desk/presence').then(({ tellPresence }) => {
      tellPresence(entrance)
    }, () => undefined)
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

void start()

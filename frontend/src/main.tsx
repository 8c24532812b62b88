import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { applyTheme, storedTheme } from './app/theme'
import { openDesk } from './desk/open-desk'
import { firstLanguage } from './i18n/language'
import { firstWords, loadWords } from './i18n/words'
import './styles/base.css'

async function start(): Promise<void> {
  applyTheme(storedTheme())
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  const [entrance] = await Promise.all([openDesk(), loadWords(firstWords, firstLanguage())])
  createRoot(root).render(
    <StrictMode>
      <App entrance={entrance} />
    </StrictMode>,
  )
}

void start()

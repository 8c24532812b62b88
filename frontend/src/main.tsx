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
  const entrance = await openDesk()
  createRoot(root).render(
    <StrictMode>
      <App entrance={entrance} />
    </StrictMode>,
  )
}

void start()

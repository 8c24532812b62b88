import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import type { Desk } from '../desk/desk'
import { DeskProvider } from '../desk/desk-context'
import { I18nProvider } from '../i18n/i18n'

/** Renders a screen at a desk, in English. */
export function renderAt(desk: Desk, screen: ReactNode) {
  return render(
    <I18nProvider>
      <DeskProvider desk={desk}>{screen}</DeskProvider>
    </I18nProvider>,
  )
}

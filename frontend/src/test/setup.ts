import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'
import { addWords, codeWords, firstWords, loadWords } from '../i18n/words'
import './lean'
import './waits'

// A part of the page that is drawn by itself has its words at once, as if its screen had loaded them.
await loadWords(firstWords, 'en')
await loadWords(codeWords, 'en')
for (const words of Object.values(import.meta.glob<Record<string, string>>('../features/*/words/en.ts', { eager: true, import: 'words' })))
  addWords('en', words)

// jsdom knows <dialog> but not how to open it.
HTMLDialogElement.prototype.showModal = function () {
  this.setAttribute('open', '')
}
HTMLDialogElement.prototype.close = function () {
  if (!this.open) return
  this.removeAttribute('open')
  this.dispatchEvent(new Event('close'))
}

// Nor a popover.
HTMLElement.prototype.hidePopover = () => {}

// jsdom lays nothing out: everything is in view.
globalThis.IntersectionObserver = class implements IntersectionObserver {
  readonly root = null
  readonly rootMargin = ''
  readonly scrollMargin = ''
  readonly thresholds = []
  private readonly report: IntersectionObserverCallback
  constructor(report: IntersectionObserverCallback) {
    this.report = report
  }
  observe(target: Element) {
    this.report([{ target, isIntersecting: true } as IntersectionObserverEntry], this)
  }
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return []
  }
}

globalThis.ResizeObserver = class implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
Element.prototype.scrollIntoView = () => {}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
})

afterEach(cleanup)

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** A program that `make programs` made, or the library that lets the driver into one. */
export function program(name: 'sekishod' | 'sekisho' | 'sekisho-desktop' | 'e2e/sekisho-desktop' | 'e2e/automation.so' | 'bench/empty-window'): string {
  const path = join(root, 'build/bin', name)
  if (!existsSync(path)) throw new Error(`${path} is missing: run make e2e`)
  return path
}

/** The start script of the npm package server-filesystem. */
export function fileServer(): string {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
  return join(dirname(manifest), 'dist/index.js')
}

/** A file of the repository's docs folder. */
export function inDocs(name: string): string {
  return join(root, 'docs', name)
}

/** A new empty folder, and what removes it. */
export function scratch(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'sekisho-e2e-'))
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/** How many bytes may be loaded before the first screen is there, packed by gzip. */
const limit = 150 * 1024

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset

/**
 * The check of a build that index.html, what it loads, and the first words in the language that needs
 * most for them are within the limit.
 */
export function firstLoad(): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle)
        const first = new Set<Output>(files.filter(({ fileName }) => fileName === 'index.html'))
        const take = (file: Output | undefined) => {
          if (!file || first.has(file)) return
          first.add(file)
          if (file.type === 'chunk') for (const name of [...file.imports, ...(file.viteMetadata?.importedCss ?? [])]) take(bundle[name])
        }
        for (const file of files) if (file.type === 'chunk' && file.isEntry) take(file)
        const words = files.filter((file) => file.type === 'chunk' && /src\/i18n\/[a-z-]+\.ts$/.test(file.facadeModuleId ?? ''))
        if (words.length !== 4) this.error(`${String(words.length)} languages have a file of first words, not 4`)
        const sum = [...first].reduce((sum, file) => sum + packed(file), 0) + Math.max(...words.map(packed))
        this.info(`first load: ${String(sum)} of ${String(limit)} bytes`)
        if (sum > limit) this.error(`the first load is ${String(sum)} bytes, more than ${String(limit)}`)
      },
    },
  }
}

function packed(file: Output): number {
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}

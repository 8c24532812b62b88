import { safeCut } from './safe-cut'

const blockLength = 20_000

/** Parts very long JSON text, so that a browser lays out only what is in view. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = safeCut(text, Math.min(at + blockLength, text.length))
    blocks.push(text.slice(at, end))
    at = end
  }
  return blocks
}

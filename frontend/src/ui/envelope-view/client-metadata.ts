/** Members of _meta that clients send with every call, about themselves. They are folded where nothing else is there. */
const known = new Set(['x-codex-turn-metadata'])

/** The names of an envelope's members, where it holds nothing but what clients send about themselves; else null. */
export function clientMetadata(raw: string): string[] | null {
  let envelope: unknown
  try {
    envelope = JSON.parse(raw)
  } catch {
    return null
  }
  const meta = onlyMember(envelope, '_meta')
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return null
  const names = Object.keys(meta)
  return names.length > 0 && names.every((name) => known.has(name)) ? names : null
}

function onlyMember(v: unknown, name: string): unknown {
  if (typeof v !== 'object' || v === null) return undefined
  const entries = Object.entries(v)
  return entries.length === 1 && entries[0]?.[0] === name ? entries[0][1] : undefined
}

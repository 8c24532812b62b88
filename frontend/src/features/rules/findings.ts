import type { Finding } from '../../desk/types'

/** Findings by the rule that they are about. That a duplicate also never decides is left out: it says the same twice. */
export function byRule(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const twins = new Set(findings.flatMap(({ kind, ruleId, by }) => (kind === 'duplicate' && by !== null ? [`${ruleId} ${by}`] : [])))
  const map = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (finding.kind === 'unreachable' && finding.by !== null && twins.has(`${finding.ruleId} ${finding.by}`)) continue
    map.set(finding.ruleId, [...(map.get(finding.ruleId) ?? []), finding])
  }
  return map
}

/** The rules that never decide anything. */
export function shadowed(findings: readonly Finding[]): ReadonlySet<string> {
  return new Set(findings.filter(({ kind }) => kind === 'unreachable' || kind === 'duplicate').map(({ ruleId }) => ruleId))
}

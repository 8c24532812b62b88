import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { isHidden } from '../../../ui/hidden-characters'
import { looksLike } from '../../../ui/look-alikes'
import { Notice } from '../../../ui/notice'
import { countForeign, countHidden, splitName, splitPath } from '../../../ui/split-text'

interface Props {
  /** Of the tool, its server and the helper of the agent. */
  names: readonly string[]
  /** The agent's, which a person gave it. */
  agent: string
  /** The folder. */
  paths: readonly string[]
}

/** Says in words when a name is not what it looks like. */
export function NameWarnings({ names, agent, paths }: Props) {
  const { t, tx } = useI18n()
  const stretches = [...names, agent].flatMap(splitName)
  const hidden = countHidden(stretches)
  const odd = paths.map(splitPath)
  const warnings = [
    hidden > 0 && t('approval.nameHidden', { count: hidden }),
    countForeign(stretches) > 0 && t('approval.nameMixed'),
    ...[...new Set([...names, agent])].map((name) => {
      const look = looksLike(name, isHidden)
      return look !== null && tx('name.looksLike', { name: <AgentText>{name}</AgentText>, look: <AgentText>{look}</AgentText> })
    }),
    names.some(soundsLikeUs) && t('name.ours'),
    odd.some((path) => countHidden(path) + countForeign(path) > 0) && t('name.path'),
  ].filter((warning) => warning !== false)
  if (warnings.length === 0) return null
  return (
    <Notice tone="deny">
      {warnings.map((warning, i) => (
        <p key={i}>{warning}</p>
      ))}
    </Notice>
  )
}

function soundsLikeUs(name: string): boolean {
  return /sekisho|関所/i.test(looksLike(name, isHidden) ?? name)
}

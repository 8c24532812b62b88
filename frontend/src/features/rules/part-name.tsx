import { AgentText } from '../../ui/agent-text'
import { useI18n } from './screen'

/** The program and verb of a part; one whose program the shell computes has none. */
export function PartName({ name }: { name: string }) {
  const { t } = useI18n()
  return name === '' ? <span>{t('rules.partUnknown')}</span> : <AgentText>{name}</AgentText>
}

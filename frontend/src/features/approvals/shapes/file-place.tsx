import type { FileLook, RiskReason } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useCodeWords } from '../../../i18n/use-code-words'
import { AgentText } from '../../../ui/agent-text'
import { Notice } from '../../../ui/notice'
import css from './shapes.module.css'

/** The path as it is written, marked where it raised the risk, and where it leads when that is elsewhere. */
export function FilePlace({ file: { path, resolved }, risky }: { file: FileLook; risky: RiskReason | undefined }) {
  const { tx } = useI18n()
  const { plain } = useCodeWords('riskReason')
  const name = <AgentText as="path">{path}</AgentText>
  const at = <AgentText as="path">{resolved}</AgentText>
  return (
    <>
      <p className={css.place}>
        {risky ? <mark className={css.risky} title={plain(risky)}>{name}</mark> : name}
      </p>
      {resolved !== '' && resolved !== path && (leadsThere(path, resolved) ? <p className={css.soft}>{tx('shape.fileAt', { path: at })}</p> : <Notice tone="deny">{tx('shape.fileElsewhere', { path: at })}</Notice>)}
    </>
  )
}

/** A relative path that ends as it is written goes where it says; all else is a link or a way up. */
function leadsThere(path: string, resolved: string): boolean {
  const written = path.replace(/^(?:\.\/)+/, '')
  return !/^(?:[\\/]|[A-Za-z]:)/.test(path) && !/(?:^|[\\/])\.\.?(?:[\\/]|$)/.test(written) && resolved.endsWith(`/${written}`)
}

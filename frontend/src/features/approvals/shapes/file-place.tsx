import type { FileLook } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Notice } from '../../../ui/notice'
import css from './shapes.module.css'

/** The path as it is written, and where it leads when that is elsewhere. */
export function FilePlace({ file: { path, resolved } }: { file: FileLook }) {
  const { tx } = useI18n()
  const at = <AgentText as="path">{resolved}</AgentText>
  return (
    <>
      <p className={css.place}>
        <AgentText as="path">{path}</AgentText>
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

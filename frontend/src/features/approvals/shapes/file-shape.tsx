import type { FileLook, RiskReason } from '../../../desk/types'
import { wordFor } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { useDiffWords } from '../../../i18n/use-diff-words'
import { AgentText } from '../../../ui/agent-text'
import { Badge } from '../../../ui/badge'
import { DiffView } from '../../../ui/diff-view/diff-view'
import { Notice } from '../../../ui/notice'
import { FilePlace } from './file-place'
import { Shape } from './shape'
import css from './shapes.module.css'

/** What a call would write, against the file on the disk as it is now. */
export function FileShape({ file, changed, risky }: { file: FileLook; changed: boolean; risky: RiskReason | undefined }) {
  const { t } = useI18n()
  const words = useDiffWords()
  const told = file.state === 'new' || file.state === 'changed'
  return (
    <Shape title={t('shape.file')}>
      {changed && (
        <Notice tone="deny" role="alert">
          {t('shape.fileMoved')}
        </Notice>
      )}
      <FilePlace file={file} risky={risky} />
      {told ? (
        <p className={css.facts}>
          <Badge icon={file.state === 'new' ? 'plus' : 'edit'} tone={file.state === 'new' ? 'plain' : 'care'}>
            {t(`shape.file.${file.state}`)}
          </Badge>
          <span>{t('shape.fileLines', { added: file.added, removed: file.removed })}</span>
          {file.size > 0 && <span className={css.soft}>{t('shape.fileSize', { count: file.size })}</span>}
        </p>
      ) : (
        <Notice tone={file.state === 'same' ? 'plain' : 'care'}>
          {t(`shape.file.${file.state}`)} <Why file={file} />
        </Notice>
      )}
      {!told && file.size > 0 && <p className={css.soft}>{t('shape.fileSize', { count: file.size })}</p>}
      {file.lines.length > 0 && <DiffView lines={file.lines} label={t('shape.fileDifference')} words={words} />}
      {file.more > 0 && <Notice tone="care">{t('shape.more', { count: file.more })}</Notice>}
    </Shape>
  )
}

/** In the person's language where we have the words, else in the desk's. */
function Why({ file: { code, reason } }: { file: FileLook }) {
  const { t } = useI18n()
  if (code === '' && reason === '') return null
  const word = wordFor(t, 'shape.fileWhy', code)
  return word === code ? <AgentText as="prose">{reason}</AgentText> : word
}

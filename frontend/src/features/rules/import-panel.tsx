import { useRef, useState, type ChangeEvent } from 'react'
import type { DeskError } from '../../desk/desk-error'
import type { RuleDiff } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Choice } from '../../ui/choice'
import { Icon } from '../../ui/icon'
import { ImportDiff } from './import-diff'
import css from './import.module.css'
import { LongField } from './long-field'
import { Panel } from './panel'
import { useI18n } from './screen'
import { useImport } from './use-import'

interface Props {
  onTaken: (taken: RuleDiff) => void
  onClose: () => void
}

/** Takes rules out of a document: what that changes is shown first, and what newly allows is ticked one by one. */
export function ImportPanel({ onTaken, onClose }: Props) {
  const { t } = useI18n()
  const { document, mode, fault, diff, current, accepted, ready, busy, error, read, choose, accept, take } = useImport(onTaken)
  const [unread, setUnread] = useState(false)
  const brought = useRef(0)
  const onFile = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.currentTarget.files?.[0]
    event.currentTarget.value = '' // the same file may be chosen again
    if (!file) return
    const mine = ++brought.current
    const text = await file.text().catch(() => null) // it is gone, or not ours to read
    if (mine !== brought.current) return // another came meanwhile
    setUnread(text === null)
    if (text !== null) read(text)
  }
  const write = (text: string) => {
    brought.current++
    read(text)
  }
  const options = [
    { value: 'merge', icon: 'plus', label: t('rules.importMerge') },
    { value: 'replace', icon: 'any', label: t('rules.importReplace') },
  ] as const
  return (
    <Panel title={t('rules.import')} lead={t('rules.importLead')} onClose={onClose}>
      <label className={css.file}>
        <Icon name="import" /> {t('rules.importFile')}
        <input className="visually-hidden" type="file" accept=".json,application/json" onChange={(event) => void onFile(event)} />
      </label>
      <Alert>{unread && t('rules.importUnread')}</Alert>
      <LongField
        label={t('rules.importPaste')}
        fault={fault}
        text={document}
        told={t('rules.importLong', { count: document.length })}
        another={t('rules.importAnother')}
        onChange={write}
      />
      <Choice legend={t('rules.importMode')} options={options} value={mode} onChange={choose} />
      <Alert>{error && (error.code === 'lost_update' ? t('rules.importLost') : errorText(t, placed(error)))}</Alert>
      {diff && <ImportDiff diff={diff} current={current} accepted={accepted} onAccept={accept} />}
      <div className={css.actions}>
        {diff && current && diff.allows.length > 0 && !ready && <p className={css.wait}>{t('rules.importTick')}</p>}
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button look="strong" disabled={!ready || busy} onClick={() => void take()}>
          {t('rules.importTake')}
        </Button>
      </div>
    </Panel>
  )
}

/** An error with the place in the document that it is about: rules[3].toolName. */
function placed({ code, message, field }: DeskError): { code: string; message: string } {
  const place = field?.replace(/^document\.?/, '') ?? ''
  return { code, message: place === '' ? message : `${place}: ${message}` }
}

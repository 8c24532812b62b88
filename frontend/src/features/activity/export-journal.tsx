import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

/** Saves the whole journal, an entry a line, as `sekisho journal verify` reads it. */
export function ExportJournal() {
  const { t } = useI18n()
  const desk = useDesk()
  const [read, setRead] = useState<number | null>(null)
  const { error, run } = useAction(async () => desk.saveFile('sekisho-journal.jsonl', await journal(desk, setRead)))
  const save = async () => {
    await run()
    setRead(null)
  }
  return (
    <div className={css.export}>
      <Button disabled={read !== null} onClick={() => void save()}>
        {t('activity.export')}
      </Button>
      <span role="status">{error ? errorText(t, error) : read === null ? '' : t('activity.exporting', { count: read })}</span>
    </div>
  )
}

/** All entries up to the newest as it begins, and the desk's signature over that one, where it has a key. */
async function journal(desk: Desk, onRead: (count: number) => void): Promise<string> {
  const lines: string[] = []
  const end = await desk.journalEnd()
  for (let after: number | null = 0; after !== null; ) {
    const page = await desk.journal(after)
    lines.push(...page.entries)
    onRead(lines.length)
    after = page.next !== null && (end === null || page.next < end.seq - 1) ? page.next : null
  }
  if (end !== null) lines.splice(lines.findLastIndex((line) => seqOf(line) < end.seq) + 1, Infinity, end.entry)
  return lines.map((line) => `${line}\n`).join('')
}

function seqOf(line: string): number {
  return (JSON.parse(line) as { seq: number }).seq
}

import { useMemo, useState } from 'react'
import { useLoaded } from '../../desk/queries'
import type { Conversation, Project } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { idOf } from '../../ui/object-list/by-agent'
import { ObjectList } from '../../ui/object-list/object-list'
import { RowHeading } from '../../ui/object-list/row-heading'
import { NewTalk } from './new-talk'
import { useI18n } from './screen'
import { TalkRow } from './talk-row'
import { waitsForPerson } from './talk-state'
import css from './work-screen.module.css'

/** About the height of a row, in pixels. */
const rowHeight = 64

/** The conversations of a project: first those that wait for an answer of the person, last those that ended. */
export function Talks({ project }: { project: Project }) {
  const { t } = useI18n()
  const { data, error } = useLoaded('conversations', [project.id])
  const [adding, setAdding] = useState(false)
  const [back, setBack] = useState(false)
  const groups = useMemo(() => {
    const newest = (data ?? []).toReversed()
    const all = [
      { key: 'yours', items: newest.filter(waitsForPerson) },
      { key: 'open', items: newest.filter((c) => c.state !== 'ended' && !waitsForPerson(c)) },
      { key: 'ended', items: newest.filter((c) => c.state === 'ended') },
    ] as const
    return all.filter(({ items }) => items.length > 0)
  }, [data])
  const close = () => {
    setBack(true) // to the button that led away
    setAdding(false)
  }
  return (
    <section className={css.part} aria-labelledby="talks-title">
      <header className={css.head}>
        <h2 className={css.title} id="talks-title">
          {t('work.talks')}
        </h2>
        {!adding && (
          <Button
            autoFocus={back}
            onClick={() => {
              setAdding(true)
            }}
          >
            <Icon name="plus" /> {t('work.newTalk')}
          </Button>
        )}
      </header>
      {adding && <NewTalk project={project} onClose={close} />}
      <Alert>{error && errorText(t, error)}</Alert>
      {data?.length === 0 && !adding && <p className={css.soft}>{t('work.noTalks')}</p>}
      <ObjectList
        label={t('work.talks')}
        groups={groups}
        keyOf={idOf<Conversation>}
        estimate={rowHeight}
        heading={({ key, items }, row) => <RowHeading state={row} name={t(`work.talks.${key}`)} about={items.length} />}
      >
        {(talk, row) => <TalkRow talk={talk} state={row} />}
      </ObjectList>
    </section>
  )
}

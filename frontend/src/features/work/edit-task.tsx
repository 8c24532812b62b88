import { useState } from 'react'
import type { Task } from '../../desk/types'
import { Button } from '../../ui/button'
import { useI18n } from './screen'
import { TaskWordsForm } from './task-words-form'

/** The way to write a task anew, as it is when the form opens. */
export function EditTask({ task }: { task: Task }) {
  const { t } = useI18n()
  const [edited, setEdited] = useState<Task | null>(null)
  const [back, setBack] = useState(false)
  const close = () => {
    setBack(true) // to the button that led away
    setEdited(null)
  }
  if (edited) return <TaskWordsForm task={edited} onClose={close} />
  return (
    <div>
      <Button
        autoFocus={back}
        onClick={() => {
          setEdited(task)
        }}
      >
        {t('work.editTask')}
      </Button>
    </div>
  )
}

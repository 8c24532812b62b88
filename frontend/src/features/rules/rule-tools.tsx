import type { Ref } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import css from './rule-tools.module.css'
import { useI18n } from './screen'

/** What may stand open beside the list. */
export type PanelName = 'test' | 'reach' | 'import' | 'suggestions' | 'history' | 'kept'

interface Props {
  /** The element of the buttons; each names its panel by data-panel. */
  ref: Ref<HTMLDivElement>
  open: PanelName | null
  onOpen: (panel: PanelName | null) => void
  /** How many rules the person's answers suggest. */
  suggested: number
}

const fileName = 'sekisho-rules.json'

/** What can be done with the rules as a whole. */
export function RuleTools({ ref, open, onOpen, suggested }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { error, run } = useAction(async () => desk.saveFile(fileName, await desk.exportRules()))
  const toggle = (name: PanelName) => ({
    small: true,
    'data-panel': name,
    'aria-expanded': open === name,
    onClick: () => {
      onOpen(open === name ? null : name)
    },
  })
  return (
    <>
      <div ref={ref} className={css.tools}>
        <Button {...toggle('test')}>
          <Icon name="try" /> {t('rules.test')}
        </Button>
        <Button {...toggle('reach')}>
          <Icon name="search" /> {t('rules.reach')}
        </Button>
        <Button {...toggle('import')}>
          <Icon name="import" /> {t('rules.importOpen')}
        </Button>
        <Button small onClick={() => void run()}>
          <Icon name="export" /> {t('rules.export')}
        </Button>
        <Button {...toggle('history')}>
          <Icon name="clock" /> {t('rules.past')}
        </Button>
        {suggested > 0 && (
          <Button {...toggle('suggestions')}>
            <Icon name="idea" /> {t('rules.suggested', { count: suggested })}
          </Button>
        )}
      </div>
      <Alert>{error && errorText(t, error)}</Alert>
    </>
  )
}

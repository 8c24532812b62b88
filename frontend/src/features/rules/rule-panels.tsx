import { lazy, Suspense, useRef, useState } from 'react'
import { useLoaded } from '../../desk/queries'
import type { RuleDiff, RuleForm } from '../../desk/types'
import { Notice } from '../../ui/notice'
import { ImportPanel } from './import-panel'
import { KeptGrant } from './kept-grant'
import { RuleTools, type PanelName } from './rule-tools'
import { useI18n } from './screen'
import { Suggestions } from './suggestions'
import { Tester } from './tester'
import type { Address } from './use-address'
import { trialOfMade, type Trial } from './use-trial'

const ReachPanel = lazy(() => import('./reach-panel').then(({ ReachPanel }) => ({ default: ReachPanel })))

const HistoryPanel = lazy(async () => ({ default: (await import('./history-panel')).HistoryPanel }))

interface Props {
  address: Address
  /** Opens a rule as a draft. */
  onDraft: (form: RuleForm) => void
}

/** What an address opens. */
function panelOf({ test, grant, suggestions }: Address): PanelName | null {
  if (grant !== '') return 'kept'
  if (suggestions) return 'suggestions'
  return test === '' ? null : 'test'
}

/** What can be done with the rules as a whole, and the one thing of it that is open. */
export function RulePanels({ address, onDraft }: Props) {
  const { t } = useI18n()
  const tools = useRef<HTMLDivElement>(null)
  const suggestions = useLoaded('suggestions').data ?? []
  const [open, setOpen] = useState<PanelName | null>(panelOf(address))
  const [followed, setFollowed] = useState(address)
  const [made, setMade] = useState<{ trial: Trial; nth: number } | null>(null)
  const [taken, setTaken] = useState<RuleDiff | null>(null)
  if (address !== followed) {
    setFollowed(address)
    setMade(null)
    const asked = panelOf(address)
    if (asked !== null) setOpen(asked)
  }
  const show = (panel: PanelName | null) => {
    setTaken(null)
    setMade(null)
    setOpen(panel)
  }
  // An import may be done when another panel stands open already: then that one stays.
  const close = (panel: PanelName) => {
    tools.current?.querySelector<HTMLElement>(`[data-panel=${panel}][aria-expanded=true]`)?.focus() // from where it was opened
    setOpen((now) => (now === panel ? null : now))
  }
  return (
    <>
      <RuleTools ref={tools} open={open} onOpen={show} suggested={suggestions.length} />
      {taken && (
        <Notice tone="plain" icon="allow" role="status">
          {t('rules.importDone', { added: taken.added.length, changed: taken.changed.length, removed: taken.removed.length })}
        </Notice>
      )}
      {open === 'test' && (
        <Tester
          key={made ? `made ${String(made.nth)}` : address.test}
          callId={address.test}
          start={made && made.trial}
          onClose={() => { close('test') }}
        />
      )}
      {open === 'reach' && (
        <Suspense fallback={<p role="status">{t('common.loading')}</p>}>
          <ReachPanel
            onTry={(call) => {
              setMade((old) => ({ trial: trialOfMade(call), nth: (old?.nth ?? 0) + 1 }))
              setOpen('test')
            }}
            onClose={() => { close('reach') }}
          />
        </Suspense>
      )}
      {open === 'import' && (
        <ImportPanel
          onTaken={(diff) => {
            setTaken(diff)
            close('import')
          }}
          onClose={() => { close('import') }}
        />
      )}
      {open === 'history' && (
        <Suspense fallback={<p role="status">{t('common.loading')}</p>}>
          <HistoryPanel
            onOpen={(form) => {
              close('history')
              onDraft(form)
            }}
            onClose={() => { close('history') }}
          />
        </Suspense>
      )}
      {open === 'kept' && (
        <KeptGrant
          key={address.grant}
          grantId={address.grant}
          onOpen={(form) => {
            close('kept')
            onDraft(form)
          }}
          onClose={() => { close('kept') }}
        />
      )}
      {open === 'suggestions' && suggestions.length > 0 && (
        <Suggestions
          suggestions={suggestions}
          onOpen={(form) => {
            close('suggestions')
            onDraft(form)
          }}
          onClose={() => { close('suggestions') }}
        />
      )}
    </>
  )
}

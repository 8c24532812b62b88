import { useMemo, type RefCallback, type RefObject } from 'react'
import type { RiskReason } from '../../../desk/types'
import { useJsonWords } from '../../../i18n/use-json-words'
import { useCodeWords } from '../../../i18n/use-code-words'
import { Folds } from '../../../ui/folds'
import { JsonNotices } from '../../../ui/json-view/json-notices'
import { useJson } from '../../../ui/json-view/use-json'
import type { Looked } from '../answer/use-look'
import { addressesOf } from './addresses'
import { covers } from './covers'
import { differsWholly } from './differs-wholly'
import { EditInput } from './edit-input'
import { editableLength } from './editable'
import { KnownShapes } from './known-shapes'
import { LastDifference } from './last-difference'
import { membersOf } from './members'
import { readableTexts } from './readable-texts'
import { ReadableTexts } from './readable-texts-list'
import { marksInJson } from './risk-marks'
import css from './shapes.module.css'
import { useTold } from './use-told'
import { WholeInput } from './whole-input'

interface Props {
  raw: string
  looked: Looked
  /** Covers the end of what is to be read of the input. */
  end: RefObject<HTMLDivElement | null>
  /** Takes what stands for a folded middle of what is to be read; null: nobody counts them. */
  onFold: RefCallback<Element> | null
  edited: string | null
  onEdited: ((text: string | null) => void) | null
  onCounted: (counted: string) => void
  readOnly: boolean
  /** Why the risk is what it is: the parts that raised it are marked. */
  reasons: readonly RiskReason[]
}

/** An input that is there: what is to be said of it, its known shapes, and all of it. */
export function ShownObject({ raw, looked: { look, fileChanged }, end, onFold, edited, onEdited, onCounted, readOnly, reasons }: Props) {
  const words = useJsonWords()
  const reading = useJson(raw)
  const members = useMemo(() => membersOf(raw), [raw])
  const { counts } = reading
  const { plain } = useCodeWords('riskReason')
  const risky = marksInJson(raw, reasons, plain)
  useTold(`${String(counts?.hidden ?? 0)} ${String(counts?.foreign ?? 0)}`, onCounted)
  const addresses = useMemo(() => addressesOf(members), [members])
  const texts = useMemo(() => readableTexts(raw, counts?.strings ?? [], look), [raw, counts, look])
  const shaped = texts.length + addresses.length > 0 || Boolean(look?.file ?? look?.command)
  const covered = covers(look, members)
  const difference = look?.last && <LastDifference last={look.last} members={members.length} />
  const fresh = Boolean(look?.last && differsWholly(look.last, members.length)) // then it helps nobody to read the act
  const whole = <WholeInput raw={raw} reading={reading} titled={shaped} covered={covered} risky={risky} />
  return (
    <>
      <div className={css.read}>
        <JsonNotices raw={raw} reading={reading} words={words} />
        {!fresh && difference}
        <Folds value={onFold}>
          <KnownShapes look={look} fileChanged={fileChanged} addresses={addresses} members={members} reasons={reasons} />
        </Folds>
        <ReadableTexts texts={texts} />
        {!covered && <Folds value={onFold}>{whole}</Folds>}
        <div ref={end} className={css.end} aria-hidden="true" />
      </div>
      {fresh && difference}
      {covered && whole}
      {onEdited && raw.length <= editableLength && counts?.json && (
        <EditInput raw={raw} edited={edited} onEdited={onEdited} readOnly={readOnly} />
      )}
    </>
  )
}

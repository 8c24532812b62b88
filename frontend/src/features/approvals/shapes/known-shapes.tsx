import type { Look, RiskReason } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useCodeWords } from '../../../i18n/use-code-words'
import type { Address } from './addresses'
import { CommandShape } from './command-shape'
import { FileShape } from './file-shape'
import type { Member } from './members'
import { marksInCommand } from './risk-marks'
import css from './shapes.module.css'
import { UrlShape } from './url-shape'

interface Props {
  look: Look | null
  fileChanged: boolean
  addresses: readonly Address[]
  members: readonly Member[]
  reasons: readonly RiskReason[]
}

/** More addresses than these are read in the input itself. */
const mostAddresses = 4

/** What of an input reads better than JSON. */
export function KnownShapes({ look, fileChanged, addresses, members, reasons }: Props) {
  const { t } = useI18n()
  const { plain } = useCodeWords('riskReason')
  const { file, command } = look ?? {}
  const keyOf = (text: string) => members.find((m) => m.text === text)?.key ?? null
  return (
    <>
      {file && <FileShape file={file} changed={fileChanged} risky={reasons.find((r) => r.at !== null && r.at.pointer === `/${keyOf(file.path) ?? ''}`)} />}
      {command && <CommandShape command={command} marks={marksInCommand(command, keyOf(command.text), reasons, plain)} />}
      {addresses.slice(0, mostAddresses).map(({ key, text, parts }, i) => (
        <UrlShape key={i} name={key} text={text} parts={parts} />
      ))}
      {addresses.length > mostAddresses && <p className={css.soft}>{t('shape.urlMore', { count: addresses.length - mostAddresses })}</p>}
    </>
  )
}

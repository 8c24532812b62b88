import type { Look } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import type { Address } from './addresses'
import { CommandShape } from './command-shape'
import { FileShape } from './file-shape'
import css from './shapes.module.css'
import { UrlShape } from './url-shape'

interface Props {
  look: Look | null
  fileChanged: boolean
  addresses: readonly Address[]
}

/** More addresses than these are read in the input itself. */
const mostAddresses = 4

/** What of an input reads better than JSON. */
export function KnownShapes({ look, fileChanged, addresses }: Props) {
  const { t } = useI18n()
  return (
    <>
      {look?.file && <FileShape file={look.file} changed={fileChanged} />}
      {look?.command && <CommandShape command={look.command} />}
      {addresses.slice(0, mostAddresses).map(({ key, text, parts }, i) => (
        <UrlShape key={i} name={key} text={text} parts={parts} />
      ))}
      {addresses.length > mostAddresses && <p className={css.soft}>{t('shape.urlMore', { count: addresses.length - mostAddresses })}</p>}
    </>
  )
}

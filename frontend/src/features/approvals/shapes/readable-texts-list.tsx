import { useI18n } from '../../../i18n/i18n'
import type { ReadableText } from './readable-texts'
import css from './shapes.module.css'
import { TextShape } from './text-shape'

/** More texts than these are read in the input itself. */
const mostTexts = 8

/** The texts of an input that no known shape shows, without the escapes of JSON. */
export function ReadableTexts({ texts }: { texts: readonly ReadableText[] }) {
  const { t } = useI18n()
  return (
    <>
      {texts.slice(0, mostTexts).map((one) => (
        <TextShape key={one.start} of={one} />
      ))}
      {texts.length > mostTexts && <p className={css.soft}>{t('shape.textMore', { count: texts.length - mostTexts })}</p>}
    </>
  )
}

import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Notice } from '../../../ui/notice'
import { countForeign, splitPath } from '../../../ui/split-text'
import { Shape } from './shape'
import css from './shapes.module.css'
import { otherHost, spokenHost, type UrlParts } from './url-parts'
import { UrlTable } from './url-table'

/** An address by its parts, and what of it is not as it looks. */
export function UrlShape({ name, text, parts }: { name: string; text: string; parts: UrlParts }) {
  const { t, tx } = useI18n()
  const spoken = spokenHost(parts.host)
  const elsewhere = otherHost(text, parts)
  const strange = countForeign(splitPath(parts.host)) + countForeign(splitPath(spoken ?? ''))
  return (
    <Shape
      title={
        <>
          {t('shape.url')} <AgentText>{name}</AgentText>
        </>
      }
    >
      {elsewhere !== null && <Notice tone="deny">{tx('shape.urlElsewhere', { host: <AgentText as="path">{elsewhere}</AgentText> })}</Notice>}
      {parts.user !== '' && <Notice tone="deny">{t('shape.urlNotHost')}</Notice>}
      {spoken !== null && <Notice tone="care">{tx('shape.urlSpoken', { host: <AgentText as="path">{spoken}</AgentText> })}</Notice>}
      {strange > 0 && <Notice tone="deny">{t('shape.urlMixed')}</Notice>}
      <p className={css.address} dir="ltr" translate="no">
        <code>
          <Part text={parts.scheme + parts.slashes} />
          <Part text={parts.user} look={css.writes} />
          <strong className={css.host}>
            <Part text={parts.host} />
          </strong>
          <Part text={text.slice(parts.scheme.length + parts.slashes.length + parts.user.length + parts.host.length)} />
        </code>
      </p>
      <UrlTable parts={parts} />
    </Shape>
  )
}

function Part({ text, look }: { text: string; look?: string | undefined }) {
  return text === '' ? null : (
    <span className={look}>
      <AgentText as="path">{text}</AgentText>
    </span>
  )
}

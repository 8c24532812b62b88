import type { MessageKey } from '../../../i18n/catalogue'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import css from './shapes.module.css'
import { percentless, type UrlParts } from './url-parts'

/** Each part of an address in a row of its own, in the order in which they stand. */
export function UrlTable({ parts }: { parts: UrlParts }) {
  const { scheme, user, host, port, path, query, fragment } = parts
  const rows: [MessageKey, readonly string[]][] = [
    ['shape.urlScheme', [scheme]],
    ['shape.urlUser', [user]],
    ['shape.urlHost', [host]],
    ['shape.urlPort', [port]],
    ['shape.urlPath', [path]],
    ['shape.urlQuery', query ?? []],
    ['shape.urlFragment', [fragment ?? '']],
  ]
  return (
    <dl className={css.table}>
      {rows.map(([label, values]) => values.some((value) => value !== '') && <Row key={label} label={label} values={values} />)}
    </dl>
  )
}

function Row({ label, values }: { label: MessageKey; values: readonly string[] }) {
  const { t } = useI18n()
  return (
    <>
      <dt>{t(label)}</dt>
      <dd>
        <ul>
          {values.map((value, i) => (
            <li key={i}>
              <AgentText as="path">{value}</AgentText>
              <Read text={percentless(value)} />
            </li>
          ))}
        </ul>
      </dd>
    </>
  )
}

function Read({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <span className={css.soft}>
      {' = '}
      <AgentText as="path">{text}</AgentText>
    </span>
  )
}

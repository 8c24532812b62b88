import { methodWord } from '../../i18n/method-word'
import { Select } from '../../ui/select'
import { useI18n } from './screen'

const readings = ['resources/read', 'resources/subscribe', 'prompts/get'] as const

interface Props {
  value: string
  /** What '' means, where it may be chosen. */
  any?: string
  onChange: (method: string) => void
}

/** What is asked for: a tool call, a reading or a prompt. */
export function MethodSelect({ value, any, onChange }: Props) {
  const { t } = useI18n()
  const methods = [['tools/call', t('method.tool')], ...readings.map((method) => [method, methodWord(t, method)] as const)] as const
  return (
    <Select
      label={t('rules.formMethod')}
      value={value}
      options={any === undefined ? methods : [['', any], ...methods]}
      onChange={onChange}
    />
  )
}

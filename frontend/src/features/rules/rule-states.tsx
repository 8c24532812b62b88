import { useState } from 'react'
import type { RuleForm } from '../../desk/types'
import { Badge } from '../../ui/badge'
import { allowsEverything, isExpired } from './rule-draft'
import { useI18n } from './screen'

/** What is to be known of a rule at first sight: that it rests, or allows everything. */
export function RuleStates({ rule }: { rule: RuleForm }) {
  const { t } = useI18n()
  const [now] = useState(() => Date.now())
  return (
    <>
      {!rule.enabled && (
        <Badge icon="off" tone="muted">
          {t('rules.disabled')}
        </Badge>
      )}
      {isExpired(rule, now) && (
        <Badge icon="clock" tone="muted">
          {t('rules.expired')}
        </Badge>
      )}
      {allowsEverything(rule) && (
        <Badge icon="warning" tone="care">
          {t('rules.allowsAll')}
        </Badge>
      )}
      {rule.toolName !== null && rule.toolPattern !== null && (
        <Badge icon="warning" tone="muted">
          {t('rules.patternIgnored')}
        </Badge>
      )}
    </>
  )
}

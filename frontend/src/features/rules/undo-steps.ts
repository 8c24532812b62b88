import type { Desk } from '../../desk/desk'
import { DeskError } from '../../desk/desk-error'
import type { Rule, RuleForm } from '../../desk/types'
import { changesOf, draftOf, formOf } from './rule-draft'

/** One change of the rules, with what is needed to take it back. */
export type Step =
  | { kind: 'created'; rule: Rule }
  | { kind: 'edited'; rule: Rule; now: Rule }
  | { kind: 'deleted'; rule: Rule; document: string }
  | { kind: 'moved'; rule: Rule; before: string | null }

/** Something that can be taken back: what a person did at once, and the changes that it made, in their order. */
export interface Undoable {
  kind: 'created' | 'edited' | 'deleted' | 'moved' | 'switchedOn' | 'switchedOff'
  steps: readonly Step[]
}

export function single(step: Step): Undoable {
  return { kind: step.kind, steps: [step] }
}

function formOfRule(rule: Rule): RuleForm {
  const form = formOf(draftOf(rule), rule)
  if (typeof form === 'string') throw new Error(`the rule ${rule.id} has a bad ${form}`)
  return form
}

/** Takes a change back, from the order of rules that was seen; one that somebody changed since then is left alone. */
export async function takeBack(desk: Desk, step: Step, policyVersion: number): Promise<void> {
  if (step.kind === 'deleted') {
    await desk.importRules(step.document, 'merge', null, [step.rule.id])
    return
  }
  if (step.kind === 'moved') {
    await desk.moveRule(step.rule.id, step.before, policyVersion)
    return
  }
  const { rules } = await desk.rules()
  const now = rules.find(({ id }) => id === step.rule.id)
  const made = step.kind === 'created' ? step.rule : step.now
  if (!now) throw new DeskError({ code: 'not_found', message: 'the rule is gone' })
  const back = step.kind === 'edited' ? changesOf(formOfRule(step.rule), step.now) : {}
  const held = Object.keys(step.kind === 'edited' ? back : formOfRule(made)).filter((field) => step.kind === 'edited' || field !== 'priority') // moving others may have given it another one
  const other = changesOf(formOfRule(made), now)
  if (held.some((field) => field in other)) throw new DeskError({ code: 'lost_update', message: 'the rule was changed meanwhile' })
  if (step.kind === 'created') await desk.deleteRule(now.id, now.updatedAt)
  else await desk.updateRule(now.id, back, now.updatedAt)
}

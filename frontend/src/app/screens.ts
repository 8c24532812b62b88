import type { ComponentType, ReactNode } from 'react'
import { screen as activity } from '../features/activity/screen'
import { screen as agents } from '../features/agents/screen'
import type { PendingQueue } from '../features/approvals/queue/pending-queue'
import type { QueueState } from '../features/approvals/queue/queue-state'
import { screen as waiting } from '../features/approvals/screen'
import { screen as grants } from '../features/grants/screen'
import { screen as insights } from '../features/insights/screen'
import { screen as rules } from '../features/rules/screen'
import { screen as servers } from '../features/servers/screen'
import { screen as settings } from '../features/settings/screen'
import { screen as work } from '../features/work/screen'
import type { Language } from '../i18n/catalogue'
import type { Part } from './open-part'

/** What the page gives to each of its screens. */
export interface PageProps {
  queue: PendingQueue
  state: QueueState
  /** Stands around the word that nothing waits: a new desk has more to say. */
  around: ComponentType<{ children: ReactNode }>
  /** Language and appearance, which this page keeps by itself. */
  looks: ReactNode
}

/** A screen: its name in the address, its title in the navigation, and what is loaded when it is opened. */
export type ScreenObject = Part<PageProps> & { name: string; title: Record<Language, string> }

/** All screens, in the order of the navigation; the first is where a page begins. */
export const screens: readonly [ScreenObject, ...ScreenObject[]] = [waiting, rules, grants, activity, insights, work, servers, agents, settings]

import type { ComponentType } from 'react'
import { ActivityScreen } from '../features/activity/activity-screen'
import { AgentsScreen } from '../features/agents/agents-screen'
import type { PendingQueue } from '../features/approvals/pending-queue'
import type { QueueState } from '../features/approvals/queue-state'
import { WaitingScreen } from '../features/approvals/waiting-screen'
import { GrantsScreen } from '../features/grants/grants-screen'
import { RulesScreen } from '../features/rules/rules-screen'
import { ServersScreen } from '../features/servers/servers-screen'
import { SettingsScreen } from '../features/settings/settings-screen'
import { Welcome } from '../features/welcome/welcome'
import { Preferences } from './preferences'

/** What the page has for its screens. */
export interface PageProps {
  queue: PendingQueue
  state: QueueState
}

export type ScreenName = 'waiting' | 'rules' | 'grants' | 'activity' | 'servers' | 'agents' | 'settings'

/** A screen: its name in the address and in the navigation, and how it is drawn. */
export interface ScreenObject {
  name: ScreenName
  Screen: ComponentType<PageProps>
}

function Waiting({ queue, state }: PageProps) {
  return <WaitingScreen state={state} onReview={queue.review} around={Welcome} />
}

function Settings() {
  return <SettingsScreen looks={<Preferences />} />
}

/** All screens, in the order of the navigation; the first is where a page begins. */
export const screens: readonly [ScreenObject, ...ScreenObject[]] = [
  { name: 'waiting', Screen: Waiting },
  { name: 'rules', Screen: RulesScreen },
  { name: 'grants', Screen: GrantsScreen },
  { name: 'activity', Screen: ActivityScreen },
  { name: 'servers', Screen: ServersScreen },
  { name: 'agents', Screen: AgentsScreen },
  { name: 'settings', Screen: Settings },
]

import { WaitingScreen } from './queue/waiting-screen'

/** The first screen. Nothing of it is loaded later than the page, which has the approval dialog and its words from the start. */
export const screen = {
  name: 'waiting',
  title: { en: 'Waiting', ja: '承認待ち', 'zh-TW': '待核准', ru: 'Ожидают' },
  component: WaitingScreen,
} as const

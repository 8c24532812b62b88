import { expect, it } from 'vitest'
import { ageText, untilOther } from './age'

const now = Date.parse('2026-03-10T12:00:00.000Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()

it.each([
  ['en', 5, 'now'], ['en', 59, 'now'], ['en', 60, '1 min. ago'], ['en', 272, '4 min. ago'], ['en', 3600, '1 hr. ago'], ['en', 47 * 3600, '1 day ago'], ['en', 3 * 86_400, '3 days ago'],
  ['ja', 272, '4 分前'], ['zh-TW', 272, '4 分鐘前'], ['ru', 272, '4 мин. назад'], ['ru', 2 * 86_400, '2 дн. назад'],
])('in %s what is %d seconds old is told as %j', (language, seconds, words) => {
  expect(ageText(ago(seconds), language, now)).toBe(words)
})

it('after a week the day is told, and what is no time is left as it is', () => {
  expect(ageText(ago(8 * 86_400), 'en', now)).toContain('2026')
  expect(ageText('nonsense', 'en', now)).toBe('nonsense')
})

it('what is of the future, by a clock that is ahead, is now', () => {
  expect(ageText(ago(-90), 'en', now)).toBe('now')
})

it.each([[0, 60_000], [59_000, 1000], [272_000, 28_000], [3_600_000, 3_600_000], [86_400_000 + 5, 86_400_000 - 5], [8 * 86_400_000, Infinity], [NaN, Infinity]])(
  'what is %d ms old is told otherwise in %d ms',
  (ms, until) => {
    expect(untilOther(ms)).toBe(until)
  },
)

import { describe, expect, it } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import type { Attention } from '../../../desk/types'
import { AttentionLine, attentionLine } from './attention-line'

const a = { callId: 'a', rev: 1 }
const b = { callId: 'b', rev: 1 }

/** A line whose reports are answered by hand. */
function byHand() {
  const sent: (Attention | null)[] = []
  const answers: { take: () => void; refuse: () => void }[] = []
  const line = new AttentionLine((shown) => {
    sent.push(shown)
    return new Promise((take, reject) => {
      answers.push({ take, refuse: () => { reject(new Error('no')) } })
    })
  })
  return { line, sent, answers }
}

const settled = () => new Promise((done) => setTimeout(done))

describe('the line of reports', () => {
  it('sends at once, and says whether the desk took it', async () => {
    const { line, sent, answers } = byHand()
    const taken = line.report(a)
    expect(sent).toEqual([a])
    answers[0]?.take()
    expect(await taken).toBe(true)
    const refused = line.report(b)
    answers[1]?.refuse()
    expect(await refused).toBe(false)
  })

  it('never has two on their way, so that none overtakes another', async () => {
    const { line, sent, answers } = byHand()
    void line.report(a)
    void line.report(null)
    await settled()
    expect(sent).toEqual([a])
    answers[0]?.refuse()
    await settled()
    expect(sent).toEqual([a, null])
  })

  it('leaves out what is no longer true when its turn comes', async () => {
    const { line, sent, answers } = byHand()
    void line.report(a)
    const outdated = line.report(null)
    const last = line.report(b)
    expect(await outdated).toBe(false)
    answers[0]?.take()
    await settled()
    expect(sent).toEqual([a, b])
    answers[1]?.take()
    expect(await last).toBe(true)
  })

  it('is one for each desk', () => {
    const [one, two] = [new FakeDesk(), new FakeDesk()]
    expect(attentionLine(one)).toBe(attentionLine(one))
    expect(attentionLine(one)).not.toBe(attentionLine(two))
  })
})

import { FakeState } from './fake-state'
import { FakeTransport } from './fake-transport'

/** A desk in memory behind the real client, for unit tests and for looking at screens without a desk. */
export class FakeDesk extends FakeState {
  constructor() {
    super((state) => new FakeTransport(state))
  }
}

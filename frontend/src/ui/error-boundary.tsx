import { Component, type ReactNode } from 'react'

interface Props {
  /** What stands there instead once something below has thrown while it was drawn; retry draws it again. */
  fallback: (error: unknown, retry: () => void) => ReactNode
  /** What is drawn: something else is drawn without having to be retried. */
  about?: string
  children: ReactNode
}

interface State {
  thrown: { error: unknown } | null
}

/** Keeps an error of what is drawn below from taking more of the page with it. */
export class ErrorBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): State {
    return { thrown: { error } }
  }

  override state: State = { thrown: null }

  readonly #retry = (): void => {
    this.setState({ thrown: null })
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.thrown && before.about !== this.props.about) this.#retry()
  }

  override render(): ReactNode {
    const { thrown } = this.state
    return thrown ? this.props.fallback(thrown.error, this.#retry) : this.props.children
  }
}

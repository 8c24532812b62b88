import { Component, type ReactNode } from 'react'

interface Props {
  /** What stands there instead once something below has thrown while it was drawn. */
  fallback: (error: unknown) => ReactNode
  children: ReactNode
}

interface State {
  thrown: { error: unknown } | null
}

/** Keeps an error of what is drawn below from taking the page with it. What failed once is not drawn again. */
export class ErrorBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): State {
    return { thrown: { error } }
  }

  override state: State = { thrown: null }

  override render(): ReactNode {
    const { thrown } = this.state
    return thrown ? this.props.fallback(thrown.error) : this.props.children
  }
}

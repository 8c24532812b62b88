import { lazy, Suspense } from 'react'
import { useFold } from '../../../ui/folds'
import type { PartsProps } from './call-parts'
import type { CallerLine } from './caller-line'
import type { WorkspaceProps } from './call-workspace'
import type { ToolLevel } from './tool-level'

/** Comes right after the first screen, so that it moves nothing in a dialog; where it does not, there is the command alone. */
const coming = import('./call-parts').then(
  ({ CallParts }) => ({ default: CallParts }),
  () => ({ default: () => null }),
)

const Parts = lazy(() => coming)

/** The parts of a line with what each does; of an edited input nothing is known. */
export function LateParts(props: PartsProps) {
  return (
    <Suspense fallback={null}>
      <Parts {...props} />
    </Suspense>
  )
}

/** Stands for what was not shown: without it the call is not read to its end. */
function NotShown() {
  return <span ref={useFold()} />
}

const Workspace = lazy(() => import('./call-workspace').then(({ CallWorkspace }) => ({ default: CallWorkspace }), () => ({ default: NotShown })))

/** Where a call of a workspace's tools runs, and how far it is confined. */
export function LateWorkspace(props: WorkspaceProps) {
  return (
    <Suspense fallback={<NotShown />}>
      <Workspace {...props} />
    </Suspense>
  )
}

const Caller = lazy(() => import('./caller-line').then(({ CallerLine }) => ({ default: CallerLine }), () => ({ default: () => null })))

/** What the agent is in its session, below all that was there before it. */
export function LateCaller(props: Parameters<typeof CallerLine>[0]) {
  return (
    <Suspense fallback={null}>
      <Caller {...props} />
    </Suspense>
  )
}

const Level = lazy(() => import('./tool-level').then(({ ToolLevel }) => ({ default: ToolLevel }), () => ({ default: () => null })))

/** The offer to give the tool a level, below all that is to be read. */
export function LateLevel(props: Parameters<typeof ToolLevel>[0]) {
  return (
    <Suspense fallback={null}>
      <Level {...props} />
    </Suspense>
  )
}

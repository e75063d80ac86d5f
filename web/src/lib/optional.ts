import { type ComponentType, lazy } from 'react'

/** A part that its page can do without: nothing, if its file can't be loaded, offline for example. */
export const optional = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() => load().catch(() => ({ default: (() => null) as ComponentType<Props> })))

/** The process that runs a command. Tests provide their own. */
export type Shell = {
  environment: Record<string, string | undefined>
  isTerminal: boolean
  /** Each prints one text and a line break. */
  out: (text: string) => void
  err: (text: string) => void
  /** Writes bytes to standard output as they are. */
  write: (bytes: Uint8Array) => void
  signal: AbortSignal
  clock: Clock
}

export type Clock = {
  /** Epoch ms. */
  now: () => number
  /** Rejects with the signal's reason once it is aborted. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * What a command prints, as JSON and as a table, and its exit code. If it has a body, that goes to standard output and the rest to
 * standard error.
 */
export type Result = { json: unknown; table: string; code?: number; body?: Uint8Array }

/** The command was typed wrongly. */
export class UsageError extends Error {}

/** A seller failed before anything was bought. */
export class NothingPaid extends Error {}

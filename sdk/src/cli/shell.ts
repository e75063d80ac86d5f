/** The process that runs a command. Tests provide their own. */
export type Shell = {
  environment: Record<string, string | undefined>
  isTerminal: boolean
  /** Each prints one text and a line break. */
  out: (text: string) => void
  err: (text: string) => void
  signal: AbortSignal
  clock: Clock
}

export type Clock = {
  /** Epoch ms. */
  now: () => number
  /** Rejects with the signal's reason once it is aborted. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** What a command prints, as JSON and as a table, and its exit code. */
export type Result = { json: unknown; table: string; code?: number }

/** The command was typed wrongly. */
export class UsageError extends Error {}

import type { StopMode } from '#domain/serviceStop.ts'
import type { StopState } from '#domain/stopState.ts'

/**
 * ServiceStops: one Durable Object per region, under the location hint that it was created with. Each holds the same: the
 * operators' stop for all accounts, and which accounts are being restored. A Treasury reads the one of its owner's
 * region, a Relayer the first; operators write to all of them. D1 has the operators' record.
 */

/** What Treasuries and Relayers read. `frozen`: the ids of open restores by user id. `edition` rises with each change. */
export type StopReading = { mode: StopMode; since: number | null; frozen: Record<string, string>; edition: number }

/** An operator's act that D1 may not have yet: a row of `operator_action`. */
export type UnrecordedAct = {
  id: string
  at: number
  actor: string
  action: string
  subject: string
  reason: string
  detail: string
}

export type StopWrite = {
  state: StopState
  act?: UnrecordedAct
  /** If set, the write is ignored unless this is the version of the object's stop. */
  replaces?: number
}

export interface ServiceStopsApi extends Rpc.DurableObjectBranded {
  /** Throws if this region is no longer in STOP_REGIONS. */
  read(): Promise<StopReading>
  /** The same for operators, with the acts that D1 may not have. */
  report(): Promise<{ state: StopState; acts: UnrecordedAct[] }>
  /** For the other objects. Null if this one has not learned yet what is stopped. */
  known(): Promise<StopState | null>
  /** Takes what is newer in `state`, and keeps the act until D1 has it. Returns the state after that. Safe to repeat. */
  write(input: StopWrite): Promise<StopState>
  /** Called once all objects and D1 have the state of this edition, and D1 has these acts. */
  confirm(edition: number, actIds: string[]): Promise<void>
}

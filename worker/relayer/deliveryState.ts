import { type BalanceSample, runwayHours, withSample } from '#domain/runway.ts'
import { RpcUnavailable } from '../chain/types.ts'
import { logError, logWarning } from '../observability/log.ts'
import { InvalidSeed } from './account.ts'

/** Whether and why a Relayer sends nothing, for operators. Kept in memory only, because the next steps find the same. */
export class DeliveryState {
  #holding: string | null = null
  #stepError: string | null = null
  #stalledSince: number | null = null
  #balances: readonly BalanceSample[] = []

  /** See RelayerHealth. */
  get holding(): string | null {
    return this.#holding
  }
  get stepError(): string | null {
    return this.#stepError
  }

  /** Records why nothing is sent; null if jobs are sent again. Logs one line at the start and one at the end. */
  hold(relayer: string, reason: string | null): void {
    if ((reason === null) !== (this.#holding === null))
      logWarning(`relayer_sends_${reason === null ? 'again' : 'nothing'}`, { relayer, reason })
    this.#holding = reason
  }

  /** Logs what an operator has to fix, such as an unreachable node, in one line; anything else is a bug, logged in full. */
  recordFailure(relayer: string | undefined, work: string, error: unknown): void {
    const isKnown = error instanceof RpcUnavailable || error instanceof InvalidSeed
    if (work === 'deliver') this.#stepError = error instanceof Error ? messageOf(error) : String(error)
    const fields = { relayer, work, ...(isKnown && { reason: messageOf(error) }) }
    logError('relayer_step_failed', fields, isKnown ? undefined : error)
  }

  /** A step has succeeded. */
  recordSuccess(): void {
    this.#stepError = null
  }

  /** A step begins. `hasReady`: there are jobs that could be sent. */
  recordReady(hasReady: boolean, now: number): void {
    if (hasReady) this.#stalledSince ??= now
    else this.recordSent()
  }

  recordSent(): void {
    this.#stalledSince = null
  }

  /** How long jobs have been ready without any being sent (ms). */
  stalledMs(now: number): number {
    return this.#stalledSince === null ? 0 : now - this.#stalledSince
  }

  /** Records the balance (wei) and returns how long it lasts; see RelayerAccount. */
  runwayHours(balance: bigint, now: number): number | null {
    this.#balances = withSample(this.#balances, { at: now, balance })
    return runwayHours(this.#balances)
  }
}

function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

export const stoppedByOperator = { problem: 'an operator has stopped it' }

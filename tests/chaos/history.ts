/** The clients' requests and their replies: the only record of what the Worker has acknowledged. */
import { writeFileSync } from 'node:fs'
import type { Address } from '../../worker/chain/types.ts'

export type Asked =
  | { kind: 'send'; by: 'user' | number; to: Address; amount: bigint }
  | { kind: 'payout'; by: 'user' | number; email: string; amount: bigint }
  | { kind: 'purchase'; by: number; to: Address; amount: bigint; settles: boolean }
  | { kind: 'claim'; payoutId: string; to: Address }
  | { kind: 'reclaim'; payoutId: string }

/** One operation. `by` is the user or the index of an agent. Without `outcome`, it got no definite reply. */
export type Operation = {
  sender: number
  key: string
  asked: Asked
  /** Number of replies that left the outcome unknown. */
  unknown: number
  /** `id` of the payment for sends, purchases and payouts. */
  outcome?: { ok: true; id: string } | { ok: false; status: number; code: string }
}

/** In Jepsen's terms: an operation is invoked, may get `info` (unknown) many times, and ends `ok` or `fail`. */
export class History {
  readonly operations: Operation[] = []
  readonly #lines: string[] = []

  invoke(operation: Operation): Operation {
    this.operations.push(operation)
    this.note('invoke', operation, operation.asked)
    return operation
  }

  info(operation: Operation, why: string): void {
    operation.unknown += 1
    this.note('info', operation, why)
  }

  end(operation: Operation, outcome: NonNullable<Operation['outcome']>): void {
    operation.outcome = outcome
    this.note(outcome.ok ? 'ok' : 'fail', operation, outcome)
  }

  note(event: string, of: Pick<Operation, 'key'> | null, value: unknown): void {
    const entry = { at: Date.now(), event, key: of?.key, value }
    this.#lines.push(JSON.stringify(entry, (_, part) => (typeof part === 'bigint' ? part.toString() : part)))
  }

  write(path: string): void {
    writeFileSync(path, `${this.#lines.join('\n')}\n`)
  }
}

export const accepted = <K extends Asked['kind']>(operations: Operation[], kind: K) =>
  operations.flatMap(({ asked, outcome, ...rest }) =>
    asked.kind === kind && outcome?.ok
      ? [{ ...rest, asked: asked as Extract<Asked, { kind: K }>, id: outcome.id }]
      : [],
  )

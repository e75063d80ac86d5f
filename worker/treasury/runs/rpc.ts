import { RpcTarget } from 'cloudflare:workers'
import type { RunRow as RowView, Run } from '#schemas/runs.ts'
import { andThen, notFound, ok, type Result } from '../../result.ts'
import type { Decider } from '../approvals/rpcTypes.ts'
import { refuseUnreachable } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { freshStop } from '../core/stop.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { noteDecider } from '../limits/secondPerson.ts'
import type { NeedResolver } from '../payments/needs.ts'
import { createRun } from './create.ts'
import { approveRun, denyRun, stopRun, submitRun } from './decide.ts'
import { endOverdueRuns } from './end.ts'
import { setRepeat } from './repeat.ts'
import type { CreateRunInput, DecideRunInput, RepeatInput, RunRowsInput, RunsInput } from './rpcTypes.ts'
import { allRows, listRuns, rowsPage, runView } from './views.ts'

/** Payout runs: many payments from one file, decided together. */
export class Runs extends RpcTarget {
  readonly #ctx: Context
  readonly #needs: NeedResolver

  constructor(ctx: Context, needs: NeedResolver) {
    super()
    this.#ctx = ctx
    this.#needs = needs
  }

  async list(input: RunsInput) {
    this.#endOverdue()
    return listRuns(this.#ctx, input)
  }
  /** Reads the wallet of a run that waits, at most every ten seconds: whether it has enough should not be old news. */
  async get(id: string): Promise<Result<Run>> {
    this.#endOverdue()
    const { store, chainReads } = this.#ctx
    const run = store.payoutRun(id)
    if (run?.status === 'WAITING') await chainReads.refresh(store.wallet(run.wallet_id)!, 10_000)
    return this.#shown(id)
  }
  async rows(id: string, input: RunRowsInput) {
    return this.#ctx.store.payoutRun(id) ? ok(rowsPage(this.#ctx, id, input)) : notFound('Run')
  }
  /** The run with all its rows. */
  async export(id: string): Promise<Result<{ run: Run; rows: RowView[] }>> {
    return andThen(this.#shown(id), (run) => ok({ run, rows: allRows(this.#ctx, id) }))
  }
  async create(input: CreateRunInput) {
    return this.#reply(createRun(this.#ctx, input))
  }
  async submit(id: string, by: Decider) {
    return this.#reply(submitRun(this.#ctx, id, by))
  }
  async approve(id: string, input: DecideRunInput) {
    noteDecider(this.#ctx, input.by)
    await freshStop(this.#ctx)
    return this.#reply(
      await refuseUnreachable(() =>
        this.#needs.decide((gathered) => approveRun(this.#ctx, id, input, gathered), 'dry run'),
      ),
    )
  }
  async deny(id: string, input: { hash: string; by: Decider; reason: string | null }) {
    return this.#reply(denyRun(this.#ctx, id, input))
  }
  async stop(id: string) {
    return this.#reply(stopRun(this.#ctx, id))
  }
  async repeat(id: string, repeat: RepeatInput) {
    return this.#reply(setRepeat(this.#ctx, id, repeat))
  }

  #endOverdue() {
    this.#ctx.store.transaction(() => endOverdueRuns(this.#ctx))
  }
  #shown(id: string): Result<Run> {
    const run = this.#ctx.store.payoutRun(id)
    return run ? ok(runView(this.#ctx, run)) : notFound('Run')
  }
  #reply(result: Result<RunRow>) {
    return andThen(result, ({ id }) => this.#shown(id))
  }
}

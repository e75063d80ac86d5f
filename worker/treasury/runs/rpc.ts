import { RpcTarget } from 'cloudflare:workers'
import type { PayoutRun } from '#schemas/preparedRun.ts'
import type { RunRow as RowView, Run } from '#schemas/runs.ts'
import { andThen, notFound, ok, type Result } from '../../result.ts'
import type { Decider } from '../approvals/rpcTypes.ts'
import { actingFor } from '../core/acting.ts'
import { refuseUnreachable } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { freshStop } from '../core/stop.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { noteDecider } from '../limits/secondPerson.ts'
import type { NeedResolver } from '../payments/needs.ts'
import type { AgentGate } from '../policies/agentGate.ts'
import { createRun } from './create.ts'
import { approveRun, denyRun, stopRun, submitRun } from './decide.ts'
import { endOverdueRuns } from './end.ts'
import { checkPrepared, preparedRun, prepareRun } from './prepare.ts'
import { preparedView } from './preparedView.ts'
import { setRepeat } from './repeat.ts'
import type {
  CreateRunInput,
  DecideRunInput,
  PrepareRunInput,
  RepeatInput,
  RunRowsInput,
  RunsInput,
} from './rpcTypes.ts'
import { allRows, listRuns, rowsPage, runView } from './views.ts'

/** Payout runs: many payments from one file, decided together. */
export class Runs extends RpcTarget {
  readonly #ctx: Context
  readonly #needs: NeedResolver
  readonly #gate: AgentGate

  constructor(ctx: Context, needs: NeedResolver, gate: AgentGate) {
    super()
    this.#ctx = ctx
    this.#needs = needs
    this.#gate = gate
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

  // What agents may do with runs: prepare drafts and look at their own (I25).

  async prepare(input: PrepareRunInput) {
    this.#endOverdue()
    const { principal } = input
    const made = actingFor(principal, () => this.#gate.refusal(principal) ?? prepareRun(this.#ctx, input))
    return andThen(made, async ({ run: { id }, replayed }) => {
      await checkPrepared(this.#ctx, id)
      return ok({ run: preparedView(this.#ctx, this.#ctx.store.payoutRun(id)!), replayed })
    })
  }
  async prepared(principal: Principal, id: string): Promise<Result<PayoutRun>> {
    const refused = this.#gate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Run')
    this.#endOverdue()
    const run = preparedRun(this.#ctx, principal.agentId, id)
    return run ? ok(preparedView(this.#ctx, run)) : notFound('Run')
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

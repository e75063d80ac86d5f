import { z } from 'zod'
import { maxPreparedRows } from '#domain/runs/prepared.ts'
import { prepareScope } from '#domain/scopes.ts'
import { PayoutRun, PayoutRunId, PrepareRun } from '#schemas/preparedRun.ts'
import { ok } from '../result.ts'
import { getPreparedRun, prepareRun } from '../services/agentRuns.ts'
import { idempotencyKey, type Tool, tool } from './tool.ts'

/** Payout runs. There is no tool that submits, decides or stops: hosts don't reliably keep tools from models (I25). */
export const runTools: Tool[] = [
  tool({
    name: 'prepare_payout_run',
    title: 'Prepare a payout run',
    description: `Prepare up to ${maxPreparedRows} payments from a list or a CSV as one run. Nothing is paid or reserved: a person submits it and decides on the page at url. The reply has a verdict for each row with an error or a warning. Rows with errors are left out: correct them and prepare all rows again, with replaces set to the id of the former run.`,
    input: z.strictObject({
      ...PrepareRun.shape,
      idempotency_key: idempotencyKey(
        'A unique value that you choose for this run, such as a UUID. Repeating a call with the same value makes no second run.',
      ),
    }),
    output: PayoutRun.extend({
      replayed: z.boolean().describe('True if an earlier call with this idempotency_key made the run.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    hasCard: true,
    scope: prepareScope,
    async run(call, { idempotency_key: key, ...input }) {
      const result = await prepareRun(call, key, input)
      return result.ok ? ok({ ...result.value.run, replayed: result.value.replayed }) : result
    },
  }),
  tool({
    name: 'get_payout_run',
    title: 'Get a payout run',
    description:
      'One of the runs that you prepared, by id: whether a person has decided, and which rows were not paid. DONE, STOPPED, DENIED, EXPIRED and CANCELLED are final.',
    input: z.strictObject({ run_id: PayoutRunId.describe('The id that prepare_payout_run returned.') }),
    output: PayoutRun,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    hasCard: true,
    scope: 'payment_context:read',
    run: (call, { run_id }) => getPreparedRun(call, run_id),
  }),
]

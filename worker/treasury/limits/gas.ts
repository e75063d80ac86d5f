import {
  dayEndsAt,
  type GasLevel,
  type GasUse,
  gasLeft,
  isGoodDay,
  levelAt,
  stepGas,
  utcDay,
} from '#domain/gasAllowance.ts'
import type { GasStep } from '#domain/kinds/kind.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import type { CountedName } from '#domain/limitList.ts'
import { type MicroUsdc, microUsdc, min, usdcSetting, zeroUsdc } from '#domain/money.ts'
import { isoOf } from '#domain/time.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { ChainId } from '../../chain/types.ts'
import type { GasPurpose } from '../../relayer/api.ts'
import { type Refused, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { relayerOf } from '../core/relayers.ts'
import { runs, type Spender, spenderOf } from '../core/spender.ts'
import { toColumn } from '../core/storage/columns.ts'
import type { PaymentRow } from '../core/storage/rows.ts'
import { isEstablished } from './accountAge.ts'
import { type Level, storedLevel } from './gasLevel.ts'
import { limitRefusal } from './limitRefusal.ts'
import type { GasAllowance } from './rpcTypes.ts'

/**
 * The gas that the operator pays per user and UTC day. A payment reserves the estimate of all its steps when it is accepted;
 * each estimate is replaced by what the Relayer reports, and returned if the step can never happen. All of it counts
 * toward the day on which the payment was accepted.
 *
 * A new account needs a grant as well, from the Relayer of the chain: exactly what the work lacks, so that nothing lies
 * unused. What is returned of it stays with the account, for work on the same chain and day.
 */

/** Work on one chain. `gas` in units. */
export type GasWork = { chainId: ChainId; spender: Spender; gas: number }

/** Gas units that a new account's Relayer must grant before the work is accepted. */
type GrantNeeded = { grant: number }

/** Null if there is enough gas for the work. */
export function gasShortage(ctx: Context, { chainId, spender, gas }: GasWork): Refused | GrantNeeded | null {
  const level = readLevel(ctx)
  const use = readUse(ctx, level.day)
  if (gasLeft(level, use, ctx.limits, spender) < gas) return shortage(ctx, gasLimitOf(spender))
  return missingGrant(ctx, granted('work', chainId), gas)
}

const gasLimitOf = (spender: Spender): CountedName =>
  spender === null ? 'gas of the account' : spender === runs ? 'gas of runs' : 'gas of an agent'

function missingGrant(ctx: Context, grant: string, gas: number): GrantNeeded | null {
  if (isEstablished(ctx)) return null
  const missing = gas - gasOf(ctx, readLevel(ctx).day, grant)
  return missing > 0 ? { grant: missing } : null
}

/** Called inside the transaction that accepts the work. */
export function reserveGas(ctx: Context, { chainId, spender, gas }: GasWork): void {
  const { store } = ctx
  const { day } = readLevel(ctx)
  const isOldKept = () => store.first('SELECT 1 FROM gas_use WHERE day < ? LIMIT 1', day - 1) !== null
  if (store.cached('gas_use', `before ${day - 1}`, isOldKept)) store.run('DELETE FROM gas_use WHERE day < ?', day - 1)
  if (!isEstablished(ctx)) addGas(ctx, day, granted('work', chainId), -gas)
  const use = readUse(ctx, day)
  if (spender === null) use.owner += gas
  else use.agents[spender] = (use.agents[spender] ?? 0) + gas
  store.runCached('gas_use', [[`${day}`, use]], addedGas, day, spender ?? 'owner', gas)
}

/** The result of owner actions that a new account lacks gas for. `withGas` requests it; callers never see this. */
export const grantMissing: Refused = refuse('conflict', 'The Relayer has not granted this gas yet.')

/** The refusal when the deployment has spent today's gas for new accounts. */
export const grantRefusal = (ctx: Context): Refused => shortage(ctx, 'new_accounts_gas')

/** Gas that neither the owner's nor the agents' work uses: for owner exits, and for what recipients send on. */
type Pool = 'exit' | 'sendOn'
const pools: Record<Pool, { most: (ctx: Context) => number; limit: CountedName }> = {
  exit: {
    most: (ctx) => {
      const { exitGasPerDay, newAccountExitGasPerDay } = ctx.limits
      return isEstablished(ctx) ? exitGasPerDay : Math.min(exitGasPerDay, newAccountExitGasPerDay)
    },
    limit: 'exit_gas',
  },
  sendOn: { most: (ctx) => ctx.limits.sendOnGasPerDay, limit: 'send_on_gas' },
}

/** Takes gas from a separate pool. Returns a refusal if the pool has too little. */
export function takePoolGas(ctx: Context, pool: Pool, chainId: ChainId, gas: number): Refused | null {
  const day = utcDay(ctx.now())
  const shortage = poolShortage(ctx, pool, chainId, gas)
  if (shortage) return 'code' in shortage ? shortage : grantMissing
  if (!isEstablished(ctx)) addGas(ctx, day, granted(pool, chainId), -gas)
  addGas(ctx, day, pool, gas)
  return null
}

function poolShortage(ctx: Context, pool: Pool, chainId: ChainId, gas: number): Refused | GrantNeeded | null {
  if (gasOf(ctx, utcDay(ctx.now()), pool) + gas > pools[pool].most(ctx)) return poolRefusal(ctx, pool)
  return missingGrant(ctx, granted(pool, chainId), gas)
}

const poolRefusal = (ctx: Context, pool: Pool): Refused => shortage(ctx, pools[pool].limit)

/** Replaces a step's estimate with the gas that a receipt shows. Later receipts can only raise it. */
export function correctGas(ctx: Context, payment: PaymentRow, step: GasStep, gas: number): void {
  const { column, estimate } = steps[step]
  const before = payment[column] ?? estimate
  if (payment[column] !== null && gas <= payment[column]) return
  ctx.store.run(`UPDATE payment SET ${column} = ? WHERE id = ?`, gas, payment.id)
  changeGas(ctx, payment, gas - before)
}

/** Returns the estimates for steps of a failed payment that cost nothing, unless that exceeds the daily limit. */
export function releaseGas(ctx: Context, payment: PaymentRow): void {
  const open = stepsOf(payment).filter(({ column }) => payment[column] === null)
  const estimates = open.reduce((sum, { estimate }) => sum + estimate, 0)
  if (estimates === 0) return
  const day = utcDay(ctx.now())
  if (gasOf(ctx, day, 'returned') + estimates > ctx.limits.gasReturnedPerDay) return
  addGas(ctx, day, 'returned', estimates)
  ctx.store.run(
    'UPDATE payment SET gas_send = coalesce(gas_send, 0), gas_announce = coalesce(gas_announce, 0), gas_end = coalesce(gas_end, 0) WHERE id = ?',
    payment.id,
  )
  changeGas(ctx, payment, -estimates)
}

/** Records that the contract refused a payment: the allowance does not double after a day on which one did. */
export function recordFailure(ctx: Context): void {
  const level = readLevel(ctx)
  if (!level.failed) saveLevel(ctx, { ...level, failed: true })
}

/** Records a confirmed payment. It counts until the day is good and the account established. */
export function recordConfirmation(ctx: Context, chainId: ChainId, amount: MicroUsdc): void {
  const level = readLevel(ctx)
  const isNew = !isEstablished(ctx) && chainId === primaryChain(ctx.env)
  if (!isNew && isGoodDay(level, ctx.limits)) return
  const enough = usdcSetting(ctx.limits.establishedAfterUsdc)
  saveLevel(ctx, {
    ...level,
    confirmed: microUsdc(level.confirmed + amount),
    ...(isNew && { payments: level.payments + 1, sent: min(enough, microUsdc(level.sent + amount)) }),
  })
}

/** Applies an allowance set by an operator, starting today. */
export function resetAllowance(ctx: Context): void {
  const { gasPerDay, maxGasPerDay } = ctx.limits
  saveLevel(ctx, { ...readLevel(ctx), allowance: Math.min(gasPerDay, maxGasPerDay) })
}

/** The account's allowance today, and who has used what of it. */
export function gasToday(ctx: Context): { level: GasLevel; use: GasUse } {
  const level = readLevel(ctx)
  return { level, use: readUse(ctx, level.day) }
}

export function gasAllowance(ctx: Context, spender: Spender): GasAllowance {
  const level = readLevel(ctx)
  const use = readUse(ctx, level.day)
  return {
    limit: level.allowance,
    used: used(use),
    remaining: gasLeft(level, use, ctx.limits, spender),
    resetsAt: isoOf(dayEndsAt(ctx.now())),
  }
}

const steps = {
  send: { column: 'gas_send', estimate: stepGas.send },
  announce: { column: 'gas_announce', estimate: stepGas.announce },
  end: { column: 'gas_end', estimate: Math.max(stepGas.claim, stepGas.reclaim) },
} as const satisfies Record<GasStep, { column: keyof PaymentRow; estimate: number }>

const stepsOf = (payment: PaymentRow) => kindOf(payment).gasSteps.map((step) => steps[step])

function readLevel(ctx: Context): Level {
  const stored = storedLevel(ctx.store)
  return { payments: stored?.payments ?? 0, sent: stored?.sent ?? zeroUsdc, ...levelAt(stored, ctx.limits, ctx.now()) }
}

function saveLevel(ctx: Context, { allowance, day, confirmed, failed, payments, sent }: Level): void {
  ctx.store.replace('gas_level', {
    one: 1,
    allowance,
    day,
    confirmed: toColumn(confirmed),
    failed: failed ? 1 : 0,
    payments,
    sent: toColumn(sent),
  })
}

type CachedUse = { owner: number; agents: Record<string, number> }

const readUse = (ctx: Context, day: number): CachedUse =>
  ctx.store.cached('gas_use', `${day}`, () => readStoredUse(ctx, day))

/** Not with NOT IN: of a list of three, SQLite builds a table, and a payment reads its rows. */
function readStoredUse(ctx: Context, day: number): CachedUse {
  const agents: Record<string, number> = {}
  let owner = 0
  for (const row of ctx.store.all<{ principal: string; gas: number }>(
    "SELECT principal, gas FROM gas_use WHERE day = ? AND principal <> 'exit' AND principal <> 'sendOn' AND principal <> 'returned' AND principal NOT LIKE 'granted %'",
    day,
  ))
    if (row.principal === 'owner') owner = row.gas
    else agents[row.principal] = row.gas
  return { owner, agents }
}

const used = (use: GasUse) => Object.values(use.agents).reduce((sum, gas) => sum + gas, use.owner)

/** The count of gas that a new account was granted and has not used. */
const granted = (purpose: 'work' | Pool, chainId: ChainId) => `granted ${purpose} ${chainId}`

/** `principal` is an agent's id, `runs`, `owner`, or a separate count: a pool, `returned` by failed payments, or `granted …`. */
const gasOf = (ctx: Context, day: number, principal: string): number =>
  ctx.store.first<{ gas: number }>('SELECT gas FROM gas_use WHERE day = ? AND principal = ?', day, principal)?.gas ?? 0

const addedGas = `INSERT INTO gas_use (day, principal, gas) VALUES (?1, ?2, ?3)
  ON CONFLICT (day, principal) DO UPDATE SET gas = gas + ?3`

const addGas = (ctx: Context, day: number, principal: string, gas: number) =>
  ctx.store.run(addedGas, day, principal, gas)

/** What a payment uses less goes back to the grants of a new account. Has no effect for a day that is no longer kept. */
const changeGas = (ctx: Context, payment: PaymentRow, by: number) =>
  ctx.store.run(
    `UPDATE gas_use SET gas = max(0, gas + iif(principal = ?4, -?1, ?1)) WHERE day = ?2 AND principal IN (?3, ?4)`,
    by,
    utcDay(payment.accepted_at!),
    spenderOf(payment) ?? 'owner',
    granted('work', ctx.store.wallet(payment.wallet_id)!.chain_id),
  )

const shortage = (ctx: Context, limit: CountedName) => limitRefusal(ctx, limit, dayEndsAt(ctx.now()))

/** Whether `askForGas` would be granted this now. */
export const hasGas = (ctx: Context, chainId: ChainId, gas: number): Promise<boolean> =>
  relayerOf(ctx, chainId).hasGas(gas, 'work')

/** Asks the Relayer that will pay for gas from today's share for new accounts. False if that is used up. */
export async function askForGas(
  ctx: Context,
  chainId: ChainId,
  gas: number,
  purpose: GasPurpose | Pool = 'work',
): Promise<boolean> {
  const isGranted = await relayerOf(ctx, chainId).grantGas(gas, purpose === 'sendOn' ? 'work' : purpose)
  if (isGranted) addGas(ctx, readLevel(ctx).day, granted(poolOf(purpose) ?? 'work', chainId), gas)
  return isGranted
}

const poolOf = (purpose: GasPurpose | Pool): Pool | null =>
  purpose === 'exit' || purpose === 'sendOn' ? purpose : null

/**
 * Starts an owner action, or sends on. `start` is a transaction that takes the gas; it runs again after each grant, because a parallel call
 * can take a grant that this one has requested. The day's gas for new accounts bounds the number of grants.
 */
export async function withGas<T>(
  ctx: Context,
  work: { chainId: ChainId; gas: number; purpose: GasPurpose | Pool },
  start: () => Result<T>,
): Promise<Result<T>> {
  for (;;) {
    const result = start()
    if (result !== grantMissing) return result
    const refused = await obtainGas(ctx, work)
    if (refused) return refused
  }
}

async function obtainGas(
  ctx: Context,
  { chainId, gas, purpose }: { chainId: ChainId; gas: number; purpose: GasPurpose | Pool },
): Promise<Refused | null> {
  const pool = poolOf(purpose)
  const shortage = pool ? poolShortage(ctx, pool, chainId, gas) : gasShortage(ctx, { chainId, spender: null, gas })
  if (!shortage || 'code' in shortage) return shortage
  if (await askForGas(ctx, chainId, shortage.grant, purpose)) return null
  return pool ? poolRefusal(ctx, pool) : grantRefusal(ctx)
}

import { dayEndsAt, type GasLevel, type GasUse, gasLeft, levelAt, stepGas, utcDay } from '#domain/gasAllowance.ts'
import { isoOf } from '#domain/time.ts'
import type { ChainId } from '../../chain/types.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { relayerOf } from '../core/relayers.ts'
import type { PaymentRow } from '../storage/rows.ts'
import { isEstablished } from './established.ts'
import { limitRefusal, waitAndRepeat } from './limitRefusal.ts'
import type { GasAllowance } from './rpcTypes.ts'

/**
 * The gas that the operator pays per user and UTC day. A payment reserves the estimate of all its steps when it is accepted;
 * each estimate is replaced by what the Relayer reports, and returned if the step can never happen. All of it counts
 * toward the day on which the payment was accepted.
 */

/** Gas units that a new account's Relayer must grant before the work is accepted. */
type GrantNeeded = { grant: number }

/** Null if there is enough gas for the work. `agentId` is null for the owner. */
export function gasShortage(ctx: Context, agentId: string | null, gas: number): Refused | GrantNeeded | null {
  const level = readLevel(ctx)
  const use = readUse(ctx, level.day)
  const left = gasLeft(level, use, ctx.limits, agentId)
  const who = agentId === null ? 'account' : 'agent'
  if (left < gas) return shortage(ctx, 'limits.gas', `This ${who} has used its gas allowance for today.`)
  if (isEstablished(ctx)) return null
  const missing = used(use) + gas - level.granted
  return missing <= 0 ? null : { grant: Math.max(missing, Math.min(ctx.limits.newAccountGasGrant, left)) }
}

/** Called inside the transaction that accepts the work. */
export function reserveGas(ctx: Context, agentId: string | null, gas: number): void {
  const { store } = ctx
  const { day } = readLevel(ctx)
  const isOldKept = () => store.first('SELECT 1 FROM gas_use WHERE day < ? LIMIT 1', day - 1) !== null
  if (store.cached('gas_use', `before ${day - 1}`, isOldKept)) store.run('DELETE FROM gas_use WHERE day < ?', day - 1)
  const use = readUse(ctx, day)
  if (agentId === null) use.owner += gas
  else use.agents[agentId] = (use.agents[agentId] ?? 0) + gas
  store.runCached('gas_use', [[`${day}`, use]], addedGas, day, agentId ?? 'owner', gas)
}

/** Records that the Relayer of a new account has granted this much more gas for today. */
export function recordGrant(ctx: Context, gas: number): void {
  const level = readLevel(ctx)
  saveLevel(ctx, { ...level, granted: level.granted + gas })
}

/** The refusal when the deployment has spent today's gas for new accounts. */
export const grantRefusal = (ctx: Context): Refused =>
  shortage(ctx, 'limits.new_accounts_gas', 'This service has spent today’s gas for new accounts.')

/** Takes gas from the separate pool for owner exits. Returns a refusal if the pool has too little. */
export function takeExitGas(ctx: Context, gas: number): Refused | null {
  const day = utcDay(ctx.now())
  if (gasOf(ctx, day, 'exit') + gas > ctx.limits.exitGasPerDay)
    return shortage(
      ctx,
      'limits.exit_gas',
      'Today’s gas for withdrawals and revocations is used up. You can still send them yourself.',
    )
  addGas(ctx, day, 'exit', gas)
  return null
}

/** Replaces a step's estimate with the gas that a receipt shows. Later receipts can only raise it. */
export function correctGas(ctx: Context, payment: PaymentRow, step: PaymentStep, gas: number): void {
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

/** Records a payment's outcome. The allowance doubles after a day with confirmations and no refusals by the contract. */
export function recordOutcome(ctx: Context, outcome: 'confirmed' | 'failed'): void {
  const level = readLevel(ctx)
  if (!level[outcome]) saveLevel(ctx, { ...level, [outcome]: true })
}

/** Applies an allowance set by an operator, starting today. */
export function resetAllowance(ctx: Context): void {
  const { gasPerDay, maxGasPerDay } = ctx.limits
  saveLevel(ctx, { ...readLevel(ctx), allowance: Math.min(gasPerDay, maxGasPerDay) })
}

export function gasAllowance(ctx: Context, agentId: string | null): GasAllowance {
  const level = readLevel(ctx)
  const use = readUse(ctx, level.day)
  return {
    limit: level.allowance,
    used: used(use),
    remaining: gasLeft(level, use, ctx.limits, agentId),
    resetsAt: isoOf(dayEndsAt(ctx.now())),
  }
}

type PaymentStep = 'send' | 'announce' | 'end'
const steps = {
  send: { column: 'gas_send', estimate: stepGas.send },
  announce: { column: 'gas_announce', estimate: stepGas.announce },
  end: { column: 'gas_end', estimate: Math.max(stepGas.claim, stepGas.reclaim) },
} as const satisfies Record<PaymentStep, { column: keyof PaymentRow; estimate: number }>

const stepsOf = (payment: PaymentRow) => (payment.kind === 'payout' ? Object.values(steps) : [steps.send])

type Level = GasLevel & { granted: number }

function readLevel(ctx: Context): Level {
  const stored = ctx.store.cached('gas_level', 'stored', () => readStored(ctx))
  const level = levelAt(stored, ctx.limits, ctx.now())
  return { ...level, granted: stored?.day === level.day ? stored.granted : 0 }
}

function readStored({ store }: Context): Level | null {
  const row = store.first<Record<keyof Level, number>>(
    'SELECT allowance, day, confirmed, failed, granted FROM gas_level',
  )
  return row && { ...row, confirmed: row.confirmed === 1, failed: row.failed === 1 }
}

function saveLevel(ctx: Context, { allowance, day, confirmed, failed, granted }: Level): void {
  ctx.store.run(
    'INSERT OR REPLACE INTO gas_level (one, allowance, day, confirmed, failed, granted) VALUES (1, ?, ?, ?, ?, ?)',
    allowance,
    day,
    confirmed ? 1 : 0,
    failed ? 1 : 0,
    granted,
  )
}

type CachedUse = { owner: number; agents: Record<string, number> }

const readUse = (ctx: Context, day: number): CachedUse =>
  ctx.store.cached('gas_use', `${day}`, () => readStoredUse(ctx, day))

function readStoredUse(ctx: Context, day: number): CachedUse {
  const agents: Record<string, number> = {}
  let owner = 0
  for (const row of ctx.store.all<{ principal: string; gas: number }>(
    "SELECT principal, gas FROM gas_use WHERE day = ? AND principal NOT IN ('exit', 'returned')",
    day,
  ))
    if (row.principal === 'owner') owner = row.gas
    else agents[row.principal] = row.gas
  return { owner, agents }
}

const used = (use: GasUse) => Object.values(use.agents).reduce((sum, gas) => sum + gas, use.owner)

/** `principal` is an agent's id, `owner`, or a separate count: `exit`, or `returned` by failed payments. */
const gasOf = (ctx: Context, day: number, principal: string): number =>
  ctx.store.first<{ gas: number }>('SELECT gas FROM gas_use WHERE day = ? AND principal = ?', day, principal)?.gas ?? 0

const addedGas = `INSERT INTO gas_use (day, principal, gas) VALUES (?1, ?2, ?3)
  ON CONFLICT (day, principal) DO UPDATE SET gas = gas + ?3`

const addGas = (ctx: Context, day: number, principal: string, gas: number) =>
  ctx.store.run(addedGas, day, principal, gas)

/** Has no effect for a day that is no longer kept. */
const changeGas = (ctx: Context, payment: PaymentRow, by: number) =>
  ctx.store.run(
    'UPDATE gas_use SET gas = max(0, gas + ?) WHERE day = ? AND principal = ?',
    by,
    utcDay(payment.accepted_at!),
    payment.agent_id ?? 'owner',
  )

function shortage(ctx: Context, rule: string, message: string): Refused {
  const now = ctx.now()
  return limitRefusal(now, 'gas_allowance_exceeded', {
    rule,
    message: `${message} It resets at 00:00 UTC.`,
    next: waitAndRepeat,
    resetsAt: dayEndsAt(now),
  })
}

/** Asks the Relayer that will pay for gas from today's share for new accounts. False if that is used up. */
export async function askForGas(ctx: Context, chainId: ChainId, gas: number): Promise<boolean> {
  const isGranted = await relayerOf(ctx, chainId).grantGas(gas)
  if (isGranted) recordGrant(ctx, gas)
  return isGranted
}

/** Obtains the gas for an owner action before it starts. Null if the account now has enough. */
export async function obtainGas(ctx: Context, chainId: ChainId, gas: number): Promise<Refused | null> {
  const shortage = gasShortage(ctx, null, gas)
  if (!shortage || 'code' in shortage) return shortage
  return (await askForGas(ctx, chainId, shortage.grant)) ? null : grantRefusal(ctx)
}

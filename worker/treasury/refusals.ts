import { formatUsdc } from '../domain/money.ts'
import type { Refusal } from '../domain/policy.ts'
import type { RefusalFigures, Refused } from '../errors.ts'
import { audit } from './audit.ts'
import { type Context, newId } from './context.ts'
import { changed } from './outbox.ts'
import type { Caller } from './plan.ts'
import { column } from './store.ts'
import type { PayInput } from './types.ts'

/** Refusals are written at most this often, so that an agent in a loop cannot fill the object. */
const refusalsPerMinute = 60

/** Records the refusal with what it was decided on, and answers it. */
export function refuse(
  ctx: Context,
  input: PayInput,
  refusal: Refusal,
  caller: Caller,
  inputs: Record<string, unknown>,
): Refused {
  const { store } = ctx
  const now = ctx.now()
  const answer: Refused = {
    ok: false,
    code: refusal.code,
    message: refusal.message,
    ...(refusal.code === 'insufficient_balance' || refusal.code.endsWith('exceeded') ? { field: 'amount' } : {}),
    refusal: figuresView(refusal),
  }
  if (!mayWriteRefusal(ctx, now)) return answer
  const id = newId(ctx, 'ref')
  answer.refusal!.id = id
  const { to } = input
  store.run(
    `INSERT INTO payment (id, kind, wallet_id, group_id, agent_id, policy_version, to_type, to_address, contact_id, recipient_email, recipient_phone,
       amount, memo, status, error_code, error_message, refusal, created_at, give_up_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'POLICY_REJECTED', ?, ?, ?, ?, ?)`,
    id,
    to.type === 'email' || to.type === 'phone' ? 'payout' : 'send',
    caller.wallet.id,
    caller.group?.id ?? null,
    caller.agent?.id ?? null,
    caller.group?.version ?? null,
    to.type,
    to.type === 'address' ? to.address : null,
    to.type === 'contact' ? to.contactId : null,
    to.type === 'email' ? to.email : null,
    to.type === 'phone' ? to.phone : null,
    column(input.amount),
    input.memo,
    refusal.code,
    refusal.message,
    JSON.stringify(answer),
    now,
    now,
  )
  // The key stays free: nothing happened, so the same request may succeed after a top-up (decision 001).
  audit(store, now, 'payment.refused', id, {
    by: caller.agent?.id ?? 'user',
    amount: formatUsdc(input.amount),
    rule: refusal.rule,
    ...inputs,
    ...answer.refusal,
  })
  changed(ctx, 'payment', id)
  return answer
}

export function figuresView({ rule, next, figures, maxAllowedNow, resetsAt }: Refusal): RefusalFigures {
  return {
    rule,
    next,
    max_allowed_now: formatUsdc(maxAllowedNow),
    ...(figures && {
      limit: figures.limit === null ? null : formatUsdc(figures.limit),
      spent: formatUsdc(figures.spent),
      held: formatUsdc(figures.held),
      remaining: figures.remaining === null ? null : formatUsdc(figures.remaining),
    }),
    ...(resetsAt !== null && { resets_at: new Date(resetsAt).toISOString() }),
  }
}

function mayWriteRefusal(ctx: Context, now: number): boolean {
  const minute = Math.floor(now / 60_000)
  const written =
    ctx.store.first<{ written: number }>('SELECT written FROM refusal_rate WHERE minute = ?', minute)?.written ?? 0
  if (written >= refusalsPerMinute) return false
  ctx.store.run('DELETE FROM refusal_rate WHERE minute < ?', minute)
  ctx.store.run(
    'INSERT INTO refusal_rate (minute, written) VALUES (?, 1) ON CONFLICT (minute) DO UPDATE SET written = written + 1',
    minute,
  )
  return true
}

import type { ChainId } from '../chain/types.ts'
import { noteBusy, noteIdle } from '../db/readModel.ts'
import { type Context, freshHead, type TimerKind } from './context.ts'
import { deliver } from './deliver.ts'
import { forgetCodes, nextFlushAt } from './flush.ts'
import { remindRecipients } from './notices.ts'
import { forgottenRefusals } from './overview.ts'
import { reclaim } from './payouts.ts'
import { continueReclaimAll } from './reclaimAll.ts'
import { scanWallet } from './scan.ts'
import { isBusy, settle } from './settle.ts'
import type { PayoutRow, WalletRow } from './store.ts'
import { readSession, scanEveryMs } from './wallets.ts'

const settleEveryMs = 1_000 // 1 second
/** A watchdog row is renewed when older than this; the cron pokes rows that are twice as old. */
const busyNoteMs = 60_000 // 1 minute
const refusalsKeptMs = 30 * 24 * 3600_000 // 30 days; lists keep showing them

/** The work of one timer. When it is due again (ms), null when it has nothing left to do. */
export async function chore(
  context: Context,
  kind: TimerKind,
  outbox: { tell: () => Promise<void>; mail: () => Promise<void> },
): Promise<number | null> {
  const { store, now } = context
  switch (kind) {
    case 'settle': {
      const noted = noteBusyNow(context)
      const before = store.first<{ n: number }>("SELECT count(*) AS n FROM payment WHERE status = 'QUEUED'")!.n
      let busy = true
      try {
        busy = await settle(context)
      } finally {
        await deliver(context)
      }
      await noted
      if (!busy) {
        // A payment accepted meanwhile notes itself again.
        store.setMeta('busy_noted', '0')
        await noteIdle(context.env.DB, context.userId)
      }
      return busy ? now() + (before > 0 ? settleEveryMs / 2 : settleEveryMs) : null
    }
    case 'outbox':
      await outbox.tell()
      await outbox.mail()
      return nextFlushAt(context)
    case 'reclaim':
      try {
        return await continueReclaimAll(context)
      } finally {
        await deliver(context)
      }
    case 'scan': {
      store.transaction(() => {
        const old = "payment WHERE status = 'POLICY_REJECTED' AND created_at < ?"
        const { n } = store.first<{ n: number }>(`SELECT count(*) AS n FROM ${old}`, now() - refusalsKeptMs)!
        if (n === 0) return
        store.run(`DELETE FROM ${old}`, now() - refusalsKeptMs)
        store.setMeta(forgottenRefusals, String(Number(store.meta(forgottenRefusals) ?? 0) + n))
      })
      await each(store.all<WalletRow>("SELECT * FROM wallet WHERE status = 'active'"), async (wallet) => {
        if (!isBusy(context, wallet)) for (let more = true; more; ) more = !(await scanWallet(context, wallet.id))
        await readSession(context, wallet)
      })
      return now() + scanEveryMs
    }
    case 'expiry': {
      forgetCodes(context)
      try {
        await each([8453, 84532] as const, (chainId) => reclaimExpired(context, chainId))
      } finally {
        await deliver(context)
      }
      const next =
        store.first<{ at: number | null }>(
          "SELECT min(expires_at) AS at FROM payout WHERE status IN ('CREATING','CREATED','CLAIMING')",
        )?.at ?? null
      const codes =
        store.first<{ at: number | null }>('SELECT min(code_until) AS at FROM payout WHERE sealed_code IS NOT NULL')
          ?.at ?? null
      const soonest = [next, codes, remindRecipients(context)].filter((at) => at !== null)
      return soonest.length === 0 ? null : Math.max(now() + 30_000, Math.min(...soonest))
    }
  }
}

/** By chain time; a bounded number at a time. */
async function reclaimExpired(context: Context, chainId: ChainId): Promise<void> {
  const expired = (time: number) =>
    context.store.all<PayoutRow>(
      `SELECT payout.* FROM payout JOIN wallet ON wallet.id = payout.wallet_id
         WHERE payout.status = 'CREATED' AND wallet.chain_id = ? AND payout.expires_at <= ? LIMIT 25`,
      chainId,
      time,
    )
  if (expired(context.now()).length === 0) return
  const head = await freshHead(context, chainId)
  for (const payout of expired(head.timestamp * 1000)) await reclaim(context, payout.id, 'expiry')
}

/** For the watchdog: here is work under way. */
async function noteBusyNow({ env, store, now, userId }: Context): Promise<void> {
  const noted = Number(store.meta('busy_noted') ?? 0)
  if (now() - noted < busyNoteMs) return
  store.setMeta('busy_noted', String(now()))
  try {
    await noteBusy(env.DB, userId, now())
  } catch (error) {
    console.error('watchdog row not written', error)
  }
}

/** All of them, one after the other, although one may fail; then the first failure. */
async function each<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of list) await work(one).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

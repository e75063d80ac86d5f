import { formatUsdc, microUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { averageOf, successRate } from '#domain/statistics.ts'
import { dayMs } from '#domain/time.ts'
import type { AccountFigures, Overview } from '#schemas/overview.ts'
import type { Person } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import type { Figures, PaymentMethod, Total } from '../history/api.ts'
import { historyOf } from '../historyOf.ts'
import { unwrap } from '../result.ts'

/** The data of all overview widgets. */
export async function getOverview({ deps: { env, now }, userId, loginSessionId }: Person): Promise<Overview> {
  const chain = chainNameOf(primaryChain(env))
  const { account, figures } = unwrap(await historyOf(env, userId).overview(loginSessionId, chain, now() - dayMs))
  return overviewOf(account, figures)
}

/** Sums and counts cover wallets on the primary network; money on the other network is shown separately. */
export function overviewOf(
  { wallets, prunedRefusals, ...account }: AccountFigures,
  { totals, failed: failedToday, recipients }: Figures,
): Overview {
  const confirmed = sum(totals.filter(({ outcome }) => outcome === 'confirmed'))
  const failed = sum(totals.filter(({ outcome }) => outcome === 'failed')).count + prunedRefusals
  const unclaimed = sum(totals.filter(({ isUnclaimed }) => isUnclaimed))
  const average = averageOf(microUsdc(confirmed.amount), confirmed.count)
  return {
    ...account,
    walletCount: wallets.length,
    transactionCount: sum(totals).count + prunedRefusals,
    totalSpent: formatUsdc(confirmed.amount),
    average: average === null ? null : formatUsdc(average),
    confirmed: confirmed.count,
    failed,
    successRate: successRate(confirmed.count, failed),
    failedToday,
    pendingPayouts: { count: unclaimed.count, amount: formatUsdc(unclaimed.amount) },
    methods: methods(totals),
    topWallets: topWallets(wallets, totals),
    recipients,
  }
}

const sum = (totals: Total[]): { count: number; amount: bigint } =>
  totals.reduce(({ count, amount }, total) => ({ count: count + total.n, amount: amount + BigInt(total.amount) }), {
    count: 0,
    amount: 0n,
  })

/** Money that was paid or can be claimed, by the way in which the recipient was named. What came back does not count. */
function methods(totals: Total[]): Overview['methods'] {
  const used = (['address', 'contact', 'email', 'phone', 'x402'] satisfies PaymentMethod[]).map((method) => ({
    method,
    ...sum(totals.filter((total) => total.method === method && (total.outcome === 'confirmed' || total.isUnclaimed))),
  }))
  return used
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ amount, ...method }) => ({ ...method, amount: formatUsdc(amount) }))
}

/** The three wallets with the most accepted payments; of equal ones, the oldest. */
const topWallets = (wallets: AccountFigures['wallets'], totals: Total[]): Overview['topWallets'] =>
  wallets
    .map((wallet) => {
      const accepted = totals.filter(({ walletId, method }) => walletId === wallet.id && method !== null)
      const spent = sum(accepted.filter(({ outcome }) => outcome === 'confirmed')).amount
      return { ...wallet, count: sum(accepted).count, spent: formatUsdc(spent) }
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 3)

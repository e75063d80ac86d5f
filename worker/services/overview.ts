import { counts, type FigureName, paymentMethods } from '#domain/figures.ts'
import { formatUsdc, microUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { averageOf, successRate } from '#domain/statistics.ts'
import { type AccountFigures, balanceDays, type Overview } from '#schemas/overview.ts'
import type { Person } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import type { BalanceChange, Figures, Total } from '../history/api.ts'
import { historyOf } from '../historyOf.ts'
import { unwrap } from '../result.ts'

/** The data of all overview widgets. */
export async function getOverview({ deps: { env, now }, accountId, callerId }: Person): Promise<Overview> {
  const chain = chainNameOf(primaryChain(env))
  const { account, figures } = unwrap(await historyOf(env, accountId).overview(callerId, chain, now()))
  return overviewOf(account, figures)
}

/**
 * Sums and counts cover wallets on the primary network; money on the other network is shown separately. Each figure of payments
 * counts what domain/figures.ts says, so that its list has the same ones.
 */
export function overviewOf(
  { wallets, ...account }: AccountFigures,
  { totals, failed: failedToday, recipients, balanceChanges }: Figures,
): Overview {
  const figure = (name: FigureName, of = totals) => sumOf(of.filter((total) => counts(name, total)))
  const completed = figure('completed')
  const failed = figure('ended').count - completed.count
  const unclaimed = figure('unclaimed')
  const average = averageOf(microUsdc(completed.amount), completed.count)
  return {
    ...account,
    walletCount: wallets.length,
    transactionCount: figure('payments').count,
    totalSpent: formatUsdc(completed.amount),
    held: formatUsdc(figure('in_flight').amount),
    balanceChanges: changesByDay(balanceChanges.filter(({ walletId }) => wallets.some(({ id }) => id === walletId))),
    average: average === null ? null : formatUsdc(average),
    confirmed: completed.count,
    failed,
    successRate: successRate(completed.count, failed),
    failedToday,
    pendingPayouts: { count: unclaimed.count, amount: formatUsdc(unclaimed.amount) },
    methods: paymentMethods
      .map((method) => ({ method, ...figure(`by_${method}`) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .map(({ amount, ...method }) => ({ ...method, amount: formatUsdc(amount) })),
    topWallets: topWallets(wallets, (name, id) =>
      figure(
        name,
        totals.filter(({ walletId }) => walletId === id),
      ),
    ),
    recipients,
  }
}

type Sum = { count: number; amount: bigint }

const sumOf = (totals: Total[]): Sum =>
  totals.reduce(({ count, amount }, total) => ({ count: count + total.n, amount: amount + BigInt(total.amount) }), {
    count: 0,
    amount: 0n,
  })

/** Decimal USDC, one for each day, oldest first. */
function changesByDay(changes: BalanceChange[]): string[] {
  const days = Array<bigint>(balanceDays).fill(0n)
  for (const { daysAgo, change } of changes) days[balanceDays - 1 - daysAgo]! += BigInt(change)
  return days.map(formatUsdc)
}

/** The three wallets with the most accepted payments; of equal ones, the oldest. */
const topWallets = (
  wallets: AccountFigures['wallets'],
  figure: (name: FigureName, walletId: string) => Sum,
): Overview['topWallets'] =>
  wallets
    .map((wallet) => ({
      ...wallet,
      count: figure('accepted', wallet.id).count,
      spent: formatUsdc(figure('completed', wallet.id).amount),
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 3)

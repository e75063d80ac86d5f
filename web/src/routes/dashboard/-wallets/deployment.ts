import { isSlowDeploy } from '#domain/walletRules.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { networkName } from '#web/lib/networks.ts'
import type { Wallet } from '#web/queries/wallets.ts'

/** Whether the wallet should have been created by now. Its owner may delete it from then on. */
export const isLate = (wallet: Wallet, now = Date.now()): boolean =>
  wallet.status === 'deploying' && isSlowDeploy(Date.parse(wallet.createdAt), now)

/** A sentence that says why the wallet does not exist yet. `wallet` is null until the server has replied. */
export function whyNotDeployed(wallet: Wallet | null): string {
  if (wallet === null) return 'Bursar has not replied yet.'
  if (wallet.deployProblem) return `Not created yet: ${wallet.deployProblem.replace(/\.$/, '')}.`
  return wallet.deploymentTxHash
    ? `Sent, but ${networkName(wallet.chain)} has not confirmed it yet.`
    : `It has not been sent to ${networkName(wallet.chain)} yet.`
}

/** The specified messages for the server's limits on wallets; other messages are returned unchanged. */
export function creationProblem(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback)
  const active = /maximum of (?:(\d+) )?active wallets/i.exec(message)
  if (active)
    return `You are currently limited to ${active[1] ?? '6'} active wallets at a time. Please contact support with any questions.`
  if (/monthly wallet creation limit/i.test(message))
    return `You have reached your monthly wallet creation limit of ${/\d+/.exec(message)?.[0] ?? '10'}.`
  return message
}

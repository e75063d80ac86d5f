import { isSlowDeploy } from '#domain/walletRules.ts'
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

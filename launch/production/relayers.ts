/** The accounts that pay gas: their addresses, and how much ETH they need. */
import { createPublicClient, formatEther, formatGwei, http } from 'viem'
import { type ChainId, networks } from '../../worker/domain/networks.ts'
import { type KeyringSettings, keyring } from '../../worker/keyrings/keyring.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import type { ProductionConfig } from '../config.ts'
import { LaunchError, type Outcome } from '../steps.ts'
import { nodeOf } from './contracts.ts'
import type { Secrets } from './secrets.ts'

/** For a payment that is sent alone; in a batch it is less. */
const gasPerPayment = 85_000n
/** /api/ready returns 503 below this balance. */
const leastWei = 10n ** 15n // 0.001 ETH

/** The addresses under the newest version of the seed, which may not be current yet. */
export function relayerAddresses(config: ProductionConfig, chainId: ChainId, secrets: Secrets) {
  const { secret } = keyring({ ...secrets } as KeyringSettings, 'RELAYER_SEED').versions.at(-1)!
  return Array.from({ length: config.relayer.shards }, (_, shard) => relayerAccount(secret, chainId, shard).address)
}

/** Prints the addresses and what they need a day. Throws LaunchError while one has less than readiness requires. */
export async function checkRelayers(
  config: ProductionConfig,
  chainId: ChainId,
  secrets: Secrets,
  say: (line: string) => void,
): Promise<Outcome> {
  const chain = createPublicClient({ transport: http(nodeOf(secrets, chainId)) })
  const { paymentsPerDay, shards } = config.relayer
  const price = await chain.getGasPrice()
  const each = (price * gasPerPayment * BigInt(paymentsPerDay)) / BigInt(shards)
  const accounts = await Promise.all(
    relayerAddresses(config, chainId, secrets).map(async (address) => ({
      address,
      wei: await chain.getBalance({ address }),
    })),
  )
  for (const { address, wei } of accounts)
    say(
      `    ${address} has ${formatEther(wei)} ETH; needs ${formatEther(each)} a day (L2 gas at ${formatGwei(price)} gwei)`,
    )
  const least = each > leastWei ? each : leastWei
  const short = accounts.filter(({ wei }) => wei < leastWei).map(({ address }) => address)
  if (short.length > 0)
    throw new LaunchError(
      `send at least ${formatEther(least)} ETH on ${networks[chainId].label} to each of ${short.join(', ')}`,
    )
  return { changed: false, note: `${accounts.length} funded, for ${paymentsPerDay} payments a day` }
}

import { payoutAddress } from '../../chain/addresses.ts'
import { addressTopic, topics } from '../../chain/calls.ts'
import type { Terms } from '../../chain/digests.ts'
import { type BlockRange, readLogs } from '../../chain/readLogs.ts'
import type { Address, Log } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'

/**
 * The terms of payouts that were announced with this wallet as payer, by lower-case address. Anyone can announce anything,
 * so they only explain what an address is that the wallet has paid.
 */
export async function announcedPayouts(
  ctx: Context,
  wallet: WalletRow,
  range: BlockRange,
): Promise<Map<string, Terms>> {
  const chain = ctx.chains[wallet.chain_id]
  const sets = Object.values(chain.contractSets.sets)
  const announcements = await readLogs(
    chain,
    sets.map(({ escrow }) => ({
      address: escrow,
      topics: [topics.payoutAnnounced, null, addressTopic(wallet.address)],
    })),
    range,
  )
  return new Map(
    sets.flatMap((contracts, i) =>
      announcements[i]!.map((log) => {
        const terms = termsIn(log)
        return [payoutAddress(contracts, terms).toLowerCase(), terms] as const
      }),
    ),
  )
}

function termsIn({ topics: [, , payer], data }: Log): Terms {
  const [claimKey, reclaimKey, amount, expiry] = [0, 1, 2, 3].map((i) => data.slice(2 + i * 64, 2 + (i + 1) * 64))
  const addressIn = (word: string): Address => `0x${word.slice(-40)}`
  return {
    payer: addressIn(payer!),
    claimKey: addressIn(claimKey!),
    reclaimKey: addressIn(reclaimKey!),
    amount: BigInt(`0x${amount}`),
    expiry: Number(`0x${expiry}`),
  }
}

import { payoutAddress } from '../../chain/addresses.ts'
import { announcedTerms } from '../../chain/announcedTerms.ts'
import { addressTopic, topics } from '../../chain/calls.ts'
import type { Terms } from '../../chain/digests.ts'
import { type BlockRange, readLogs } from '../../chain/readLogs.ts'
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
        const terms = announcedTerms(log)
        return [payoutAddress(contracts, terms).toLowerCase(), terms] as const
      }),
    ),
  )
}

/** Reorganizations of the chain without automatic blocks (84532), and a Treasury whose finalized block is far behind. */
import { runInDurableObject } from 'cloudflare:test'
import type { Block, Hex } from '../../worker/chain/types.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { changeNode } from './manualClock.ts'
import { manualChain as chain, type WalletUser } from './payer.ts'
import { env } from './testEnv.ts'
import { inTreasury, runNow } from './treasuries.ts'

type RawBlock = { number: Hex; timestamp: Hex; hash: Hex; transactions: Hex[] }

async function rawBlock(block: number | 'latest'): Promise<RawBlock> {
  const tag = block === 'latest' ? block : (`0x${block.toString(16)}` as const)
  return chain.node<RawBlock>('eth_getBlockByNumber', tag, false)
}

export async function blockAt(block: number | 'latest'): Promise<Block> {
  const { number, timestamp, hash } = await rawBlock(block)
  return { number: Number(number), timestamp: Number(timestamp), hash }
}

/** Replaces every block after `last` with an empty one. Their transactions are gone unless they are sent again. */
export async function reorganize(last: number): Promise<void> {
  const { number } = await blockAt('latest')
  await chain.node('anvil_reorg', number - last, [])
}

/** Returns the signed transactions in the blocks after `last`, in order, to send them again on another branch. */
export async function signedAfter(last: number): Promise<Hex[]> {
  const { number } = await blockAt('latest')
  const raws: Hex[] = []
  for (let block = last + 1; block <= number; block++)
    for (const hash of (await rawBlock(block)).transactions)
      raws.push(await chain.node<Hex>('eth_getRawTransactionByHash', hash))
  return raws
}

/** For this Treasury, no block after `block` is final until the returned function is called. */
export async function finalAt(payer: WalletUser, block: number): Promise<() => Promise<void>> {
  return changeNode(payer, () => ({ finalized: () => blockAt(block) }))
}

/** Makes all blocks so far final for this Treasury, and none after `last` until `restore` is called. */
export async function stopFinality(payer: WalletUser) {
  await payer.ledger()
  await chain.mine(3)
  await payer.ledger()
  await lookAtFinality(payer)
  const { number: last } = await blockAt('latest')
  return { last, restore: await finalAt(payer, last) }
}

/** Moves the Treasury's clock forward. */
export async function later(payer: WalletUser, seconds: number): Promise<void> {
  await inTreasury(payer, (object) => {
    const { now } = object.context
    object.context.now = () => now() + seconds * 1000
  })
}

/** Sets the Relayer's clock, which all tests share, ahead by this many seconds. */
export async function relayerAhead(seconds: number): Promise<void> {
  await runInDurableObject(env.RELAYER.getByName(`${chain.chainId}:0`), (object: Relayer) => {
    object.clock.now = () => Date.now() + seconds * 1000
  })
}

/** Lets the Treasury see the new branch twice, 31 seconds apart. */
export async function takeBranch(payer: WalletUser): Promise<void> {
  await chain.mine()
  await payer.ledger()
  await later(payer, 31)
  await chain.mine()
  await payer.ledger()
}

/** Replaces every block after `last`, lets the Treasury see that, and the Relayer send again what is missing. */
export async function removeBlocks(payer: WalletUser, last: number): Promise<void> {
  await reorganize(last)
  await relayerAhead(60)
  await takeBranch(payer)
}

/** Runs the Treasury's finality check now. */
export async function lookAtFinality(payer: WalletUser): Promise<void> {
  await runNow(payer, 'finality')
}

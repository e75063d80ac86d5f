import type { Sighting } from '#domain/watch.ts'
import type { ChainId, WatchedAddress } from '../chain/types.ts'

/** The object's name. A shard above 0 exists once the one before it is full. */
export const watchName = (chainId: ChainId, shard: number): string => `${chainId}:${shard}`
export const chainOfWatch = (name: string): ChainId => Number(name.split(':')[0]) as ChainId

/** An idle wallet as its Treasury has it in its books. */
export type IdleWallet = WatchedAddress & Sighting & { userId: string; walletId: string }

/** What Watch has seen of a wallet: a hint, which proves nothing. */
export type WalletHint = Sighting & { walletId: string }

/**
 * confirmed: sweeps read this wallet, and its Treasury hears of a change within two periods. unconfirmed: the Treasury reads it
 * as if there were no Watch. full: another shard has to take it.
 */
export type Renewal = 'confirmed' | 'unconfirmed' | 'full'

/** Times in ms. */
export type WatchHealth = {
  wallets: number
  /** Of these, how many are left out because they are busy. */
  busy: number
  isFull: boolean
  periodMs: number
  /** The newest sweep that read all wallets; null before the first. `woken`: for how many wallets it woke their Treasuries. */
  lastSweep: { block: number; endedAt: number; ms: number; woken: number } | null
  /** Since when no sweep has read all wallets, if that is longer than three periods; otherwise null. */
  lateSince: number | null
  /** Why the newest sweep ended early, as this instance knows; null if it did not. */
  problem: string | null
}

/**
 * Watch: one Durable Object per chain and shard. It reads idle wallets together and wakes the Treasuries of those that have
 * changed. It can be lost without harm: wallets then read themselves hourly.
 */
export interface WatchApi extends Rpc.DurableObjectBranded {
  /** Called by a Treasury when it has read an idle wallet. From then on, changes of what it has read are noticed. */
  renew(wallet: IdleWallet): Promise<Renewal>
  health(): Promise<WatchHealth>
  /** For the watchdog: sets the alarm again if it was lost. Returns whether it was. */
  wakeUp(): Promise<boolean>
}

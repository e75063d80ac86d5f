import type { z } from 'zod'
import { formatUsdc } from '#domain/money.ts'
import { checksumAddress } from '#domain/validators.ts'
import type { KeptBalance, SendOn, SendOnReply } from '#schemas/sendOn.ts'
import type { Deps } from '../appEnv.ts'
import { transactionUrl } from '../chain/networkSettings.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import type { Hex } from '../chain/types.ts'
import type { SentOnDesk } from '../claims/api.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { unwrap } from '../result.ts'
import { deskOf } from './claims.ts'

/** Accepts a transfer that the recipient of a kept payout signed. The same one again returns it as it is now. */
export async function sendOn(env: Env, input: z.output<typeof SendOn>): Promise<SendOnReply> {
  const { accessToken, to, ...signed } = input
  const { desk, tokenHash } = deskOf(env, accessToken)
  return replyOf(env, unwrap(await desk.sendOn(tokenHash, { ...signed, to: checksumAddress(to) })))
}

/** The transfer with this nonce. Throws not_found for one that the payout does not have. */
export async function sentOn(env: Env, accessToken: string, nonce: Hex): Promise<SendOnReply> {
  const { desk, tokenHash } = deskOf(env, accessToken)
  return replyOf(env, unwrap(await desk.sentOn(tokenHash, nonce)))
}

const replyOf = (env: Env, { nonce, state, txHash, sendsLeft, chainId }: SentOnDesk): SendOnReply => ({
  nonce,
  state,
  txHash,
  explorerUrl: transactionUrl(env, chainId, txHash),
  sendsLeft,
})

/** A page asks every few seconds; a balance of this age is returned without asking the node. */
const cachedMs = 3_000 // 3 seconds
const maxCached = 1_000
/** Balances by chain and address, in this isolate's memory, oldest first. `until` in ms. */
const cached = new Map<string, { balance: bigint; until: number }>()

/** The balance of the account that keeps a withdrawn payout. Whoever has the link may read it: it is public on chain. */
export async function keptBalance({ env, now }: Deps, accessToken: string): Promise<KeptBalance> {
  const { desk, tokenHash } = deskOf(env, accessToken)
  const { withdrawnTo, keptDomain, chainId } = unwrap(await desk.view(tokenHash))
  if (withdrawnTo === null || keptDomain === null)
    throw new AppError('conflict', 'This payout was not withdrawn to an account that this page can open.')
  const address = checksumAddress(withdrawnTo)
  const key = `${chainId} ${address}`
  const known = cached.get(key)
  if (known && now() < known.until) return { address, balance: formatUsdc(known.balance), now: now() }
  const balance = await chainsFrom(env)
    [chainId].usdcBalance(withdrawnTo)
    .catch((cause) => {
      throw new AppError('upstream_unavailable', 'The Base network can’t be reached right now. Please try again.', {
        cause,
      })
    })
  cached.delete(key)
  cached.set(key, { balance, until: now() + cachedMs })
  for (const oldest of cached.keys()) {
    if (cached.size <= maxCached) break
    cached.delete(oldest)
  }
  return { address, balance: formatUsdc(balance), now: now() }
}

import { queryOptions } from '@tanstack/react-query'
import type { ApiCalls } from '#schemas/api.ts'
import type { OwnerSigningContext, SessionKeyInfo, WalletActionView } from '#schemas/sessionKey.ts'
import { dollars, microOf } from '../lib/amounts.ts'
import { api } from '../lib/api.ts'
import { refreshing, renamed } from '../lib/changes.ts'
import { type Chain, chainIdOf } from '../lib/networks.ts'
import { queryClient } from '../lib/queryClient.ts'
import { type Wallet, walletOf } from './apiWords.ts'

export type { SessionKeyInfo, Wallet }

const rootKey = ['wallets'] as const

/** Real money first, each network newest first. */
export const walletsQuery = queryOptions({
  queryKey: [...rootKey, 'list'],
  queryFn: async ({ signal }) =>
    (await api('GET /wallets', { signal }))
      .map(walletOf)
      .toSorted((a, b) => Number(a.chain !== 'base') - Number(b.chain !== 'base')),
})

export const sessionKeyQuery = (walletId: string) =>
  queryOptions({
    queryKey: [...rootKey, 'session-key', walletId],
    queryFn: ({ signal }) =>
      api('GET /wallets/smart-wallets-v2/:walletId/session-key', { params: { walletId }, signal }),
  })

/** The overview's figures count them. */
export const refreshWallets = () =>
  Promise.all([rootKey, ['overview']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
const changed = refreshing(refreshWallets)

/** Sends only the owner's address to the server. */
export const deployWallet = (
  { chain, ...input }: { ownerAddress: string; chain: Chain; name?: string; purchaseAllowance: number },
  idempotencyKey: string,
) => api('POST /wallets/smart-wallets-v2/deploy', { body: { ...input, chainId: chainIdOf(chain) }, idempotencyKey })

/** Null clears the name. */
export const renameWallet = (walletId: string, name: string | null) =>
  renamed(api('PUT /wallets/:walletId', { params: { walletId }, body: { name } }))

export const deleteWallet = (walletId: string) =>
  changed(api('DELETE /wallets/:walletId', { params: { walletId }, body: {} }))

/** The only call that sends a private key: one that its holder chose to import. */
export const importWallet = (body: ApiCalls['POST /wallets/with-private-key']['body'], idempotencyKey: string) =>
  changed(api('POST /wallets/with-private-key', { body, idempotencyKey }))

/** The private key of an imported wallet. Not a query, so that no cache keeps it. */
export const viewPrivateKey = async (walletId: string, masterPassword: string) =>
  (await api('POST /wallets/:walletId/private-key', { params: { walletId }, body: { masterPassword } })).privateKey

/** Refetches one wallet's balance, then the list. Throws if the balance can't be read. */
export const retryBalance = (walletId: string) =>
  changed(api('GET /wallets/:walletId/usdc-balance', { params: { walletId } }))

const expectMs = 120_000 // 2 minutes
/** Wallets to which money is on its way, by id: the balance before it, and when to stop looking for it. */
const expected = new Map<string, { before: string | undefined; until: number }>()

const awaitsFunds = ({ id, usdcBalance }: Wallet): boolean => {
  const entry = expected.get(id)
  const isAwaited = entry !== undefined && Date.now() < entry.until && usdcBalance?.balance === entry.before
  if (entry && !isAwaited) expected.delete(id)
  return isAwaited
}

/** Whether the wallet's figures will change soon by themselves. */
export const isMoving = (wallet: Wallet): boolean =>
  awaitsFunds(wallet) || wallet.held !== '0' || (wallet.spendable?.arriving ?? '0') !== '0'

/** Mints 100 test USDC. Local stacks only. */
export async function mintTestUsdc({ id, address, chain, usdcBalance }: Wallet): Promise<void> {
  const response = await fetch('/dev/faucet', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ address, chain, amount: '100' }),
  })
  if (!response.ok) throw new Error(`faucet: ${response.status}`)
  expected.set(id, { before: usdcBalance?.balance, until: Date.now() + expectMs })
  await refreshWallets()
}

export const walletName = (wallet: { name: string | null }) => wallet.name || 'Unnamed Wallet'

/** For choosing among wallets: test money must not look real. */
export const walletLabel = (wallet: { name: string | null; chain: Wallet['chain'] }) =>
  wallet.chain === 'base' ? walletName(wallet) : `${walletName(wallet)} (test network)`

export const isActive = (wallet: Wallet) => wallet.status === 'active'

/** Why the wallet can't pay at all, as words to show after its name; null if it can. */
export function blockedBecause({ status, paused, halted }: Wallet): string | null {
  if (status === 'deploying') return 'still being created'
  if (status === 'failed') return 'not created'
  if (halted !== null) return 'stopped'
  return paused ? 'paused' : null
}

/** The same as a sentence. */
export function cannotPay(wallet: Wallet): string | null {
  const why = blockedBecause(wallet)
  return why && `The wallet is ${why}.`
}

/** Whether the wallet can pay now. */
export const canPay = (wallet: Wallet) => blockedBecause(wallet) === null

/** '$180.00 available to spend now. $20.00 more is arriving.' */
export function spendableText({
  spendable,
  usdcBalance,
  exposure,
}: Pick<Wallet, 'spendable' | 'usdcBalance' | 'exposure'>): string {
  if (!spendable) return 'The balance is unavailable now. We check it when you send.'
  const now = `${dollars(microOf(spendable.now))} available to spend now.`
  const why =
    spendable.limitedBy === 'session' && usdcBalance
      ? ` The session key may pay no more of the ${dollars(microOf(usdcBalance.balance))} in the wallet until you ${exposure?.canRenew === false ? 'renew it with your owner key' : 'rotate it'}.`
      : ''
  return now + why + arrivingText(spendable)
}

/** ' $20.00 more is arriving …', or an empty string. */
function arrivingText({ arriving }: NonNullable<Wallet['spendable']>): string {
  return arriving === '0' ? '' : ` ${dollars(microOf(arriving))} more is arriving and can be spent in a few seconds.`
}

export type { OwnerSigningContext, WalletActionView }

/** Limit as a string of whole micro-USDC, lifetime in hours, and the part of the limit for purchases in whole USDC. */
export type Grant = ApiCalls['POST /wallets/smart-wallets-v2/:walletId/rotate-session-key']['body']

export const rotateSessionKey = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api('POST /wallets/smart-wallets-v2/:walletId/rotate-session-key', {
    params: { walletId },
    body: grant,
    idempotencyKey,
  })

/** Creates a session key that Bursar holds. It takes effect once the owner has signed for it. */
export const offerSession = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api('POST /wallets/smart-wallets-v2/:walletId/session-offers', { params: { walletId }, body: grant, idempotencyKey })

/** The values that the owner's next signature must include. */
export const ownerSigningContext = (walletId: string) =>
  api('GET /wallets/smart-wallets-v2/:walletId/owner-signing-context', { params: { walletId } })

export type OwnerAction = ApiCalls['POST /wallets/smart-wallets-v2/:walletId/owner-actions']['body']
export const submitOwnerAction = (walletId: string, body: OwnerAction) =>
  api('POST /wallets/smart-wallets-v2/:walletId/owner-actions', { params: { walletId }, body })

/**
 * Creates a session with the on-ramp, whose page sends the USDC to `destinationAddress` on Base and then returns to the
 * dashboard. `presetFiatAmount` is in US dollars.
 */
export const createOnrampSession = (destinationAddress: string, presetFiatAmount: string) =>
  api('POST /onramp/session', {
    body: {
      destinationAddress,
      blockchains: ['base'],
      assets: ['USDC'],
      presetFiatAmount,
      redirectUrl: `${location.origin}/dashboard?onramp=success`,
    },
  })

import { queryOptions } from '@tanstack/react-query'
import type { SessionKeyInfo } from '../../../worker/schemas/sessionKey.ts'
import type { DeployReply, Wallet } from '../../../worker/schemas/wallet.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { SessionKeyInfo, Wallet }

const all = ['wallets'] as const

export const walletsQuery = queryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ signal }) => api.get<Wallet[]>('/wallets', { signal }),
})

export const sessionKeyQuery = (walletId: string) =>
  queryOptions({
    queryKey: [...all, 'session-key', walletId],
    queryFn: ({ signal }) =>
      api.get<SessionKeyInfo>(`/wallets/smart-wallets-v2/${encodeURIComponent(walletId)}/session-key`, { signal }),
  })

export const refreshWallets = () => queryClient.invalidateQueries({ queryKey: all })

/** Only the owner's address goes to the server. */
export const deployWallet = (input: { ownerAddress: string; name?: string }, idempotencyKey: string) =>
  api.post<DeployReply>('/wallets/smart-wallets-v2/deploy', { ...input, chainId: 8453 }, { idempotencyKey })

/** Null clears the name. */
export const renameWallet = (walletId: string, name: string | null) =>
  api.put<Wallet>(`/wallets/${encodeURIComponent(walletId)}`, { name })

export const deleteWallet = (walletId: string) => api.delete<null>(`/wallets/${encodeURIComponent(walletId)}`)

/** The only call that carries a private key: one that its holder hands over. */
export const importWallet = (
  input: { name: string; address: string; chain: Wallet['chain']; privateKey: string; masterPassword: string },
  idempotencyKey: string,
) => api.post<Wallet>('/wallets/with-private-key', input, { idempotencyKey })

/** Of imported wallets only. The answer goes to the caller and into no cache. */
export const viewPrivateKey = async (walletId: string, masterPassword: string) =>
  (
    await api.post<{ privateKey: string }>(`/wallets/${encodeURIComponent(walletId)}/private-key`, {
      masterPassword,
    })
  ).privateKey

/** One wallet's balance again; the list follows. Throws while it still can't be read. */
export async function retryBalance(walletId: string): Promise<void> {
  await api.get(`/wallets/${encodeURIComponent(walletId)}/usdc-balance`)
  await refreshWallets()
}

/** Local stacks only: mints stand-in USDC. */
export async function mintTestUsdc(address: string, chain: Wallet['chain']): Promise<void> {
  const response = await fetch('/dev/faucet', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ address, chain, amount: '100' }),
  })
  if (!response.ok) throw new Error(`faucet: ${response.status}`)
}

export const walletName = (wallet: { name: string | null }) => wallet.name || 'Unnamed Wallet'

export const isActive = (wallet: Wallet) => wallet.status === 'active'

/** A wallet that can pay now. */
export const canPay = (wallet: Wallet) => isActive(wallet) && !wallet.paused && wallet.halted === null

import { queryOptions } from '@tanstack/react-query'
import type { DeployReply, SessionKeyInfo, Wallet } from '../../../worker/schemas/wallet.ts'
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

/** A wallet that can pay now. */
export const canPay = (wallet: Wallet) => wallet.status === 'active'

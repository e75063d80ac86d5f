import type { Accepted, Token } from '../../../worker/domain/x402/chooseOffer.ts'

export const token: Token = {
  chainId: 8453,
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  name: 'USD Coin',
  version: '2',
}

/** An offer of a seller that can settle, unless `over` says otherwise. */
export const anOffer = (over: Record<string, unknown> = {}): Accepted => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: token.address,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
  ...over,
})

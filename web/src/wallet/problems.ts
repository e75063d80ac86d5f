import { ApiError, messageOf } from '../lib/apiError.ts'

export const rejected = 'You rejected the request in your wallet.'
export const noWallet = 'No wallet was found in this browser. Install one and reload this page.'
const pending = 'Your wallet is waiting for you to respond to an earlier request. Open it and respond there.'
const notConfigured = 'Your wallet is not set up for this network. Add it there, then try again.'

/** The shape of errors that wallets and wagmi throw: EIP-1193 codes, wrapped in named errors. */
type WalletError = { name?: string; code?: unknown; message?: string; shortMessage?: string; cause?: unknown }

/**
 * Returns a message for people. Refusals by our API and unknown errors keep their own message. `fallback` is for a refusal
 * without one.
 */
export function walletProblem(error: unknown, fallback?: string): string {
  if (error instanceof ApiError) return messageOf(error, fallback)
  const chain = [...causes(error)]
  const has = (name: string) => chain.some((each) => each.name === name)
  // Uses the innermost code, which is the wallet's own: wagmi reports any failure to add a network as a rejection.
  const code = chain.at(-1)?.code

  if (code === 4001 || code === 5000 || (has('UserRejectedRequestError') && code === undefined)) return rejected
  if (has('ProviderNotFoundError')) return noWallet
  if (code === -32002) return pending
  if (has('ChainNotConfiguredError') || has('SwitchChainError') || has('UserRejectedRequestError')) return notConfigured
  return chain[0]?.shortMessage || chain[0]?.message || 'Your wallet could not do this.'
}

function* causes(error: unknown): Generator<WalletError> {
  for (let each = error; typeof each === 'object' && each !== null; each = (each as WalletError).cause)
    yield each as WalletError
}

import { browserStorage } from '../lib/storage.ts'

/** Where wagmi stores its connections. Read here without loading wagmi. */
const key = 'wagmi.store'

/** Whether a wallet was connected when the page was last closed. */
export function isWalletRemembered(): boolean {
  try {
    const stored = JSON.parse(browserStorage.get(key) ?? 'null') as Stored
    return (stored?.state?.connections?.value?.length ?? 0) > 0
  } catch {
    return false
  }
}

/**
 * Storage keys of wagmi and of the WalletConnect and Coinbase SDKs. wagmi's records of disconnected wallets stay: a wallet
 * that can't revoke its permission would otherwise reconnect automatically.
 */
const walletKeys = /^(wagmi\.(?!.*\.disconnected$)|wc@2:|WALLETCONNECT_|-CBWSDK|-walletlink)/
const walletDatabase = 'WALLET_CONNECT_V2_INDEXED_DB'
const disconnectMs = 500 // 0.5 seconds

let disconnectAll: (() => Promise<unknown>) | null = null
/** Registers how to disconnect this page's wallets, once it has loaded wagmi. */
export const onForget = (run: () => Promise<unknown>) => {
  disconnectAll = run
}

/** Disconnects every wallet and forgets that it was connected. Waits at most `disconnectMs` for wallets to respond. */
export async function forgetWallets(): Promise<void> {
  const disconnected = disconnectAll?.().catch(() => undefined)
  if (disconnected) await Promise.race([disconnected, new Promise((resolve) => setTimeout(resolve, disconnectMs))])
  for (const key of browserStorage.keys()) if (walletKeys.test(key)) browserStorage.remove(key)
  try {
    indexedDB.deleteDatabase(walletDatabase)
  } catch {} // This browser does not let the site use it.
}

type Stored = { state?: { connections?: { value?: unknown[] } } } | null

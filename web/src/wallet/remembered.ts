/** Where wagmi stores its connections. Read here without loading wagmi. */
const key = 'wagmi.store'

/** Whether a wallet was connected when the page was last closed. */
export function isWalletRemembered(): boolean {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Stored
    return (stored?.state?.connections?.value?.length ?? 0) > 0
  } catch {
    return false
  }
}

/**
 * Keys of wagmi and of the SDKs of WalletConnect and Coinbase. wagmi's notes of what was disconnected stay: a wallet that
 * can't revoke its permission would otherwise reconnect by itself.
 */
const walletKeys = /^(wagmi\.(?!.*\.disconnected$)|wc@2:|WALLETCONNECT_|-CBWSDK|-walletlink)/
const walletDatabase = 'WALLET_CONNECT_V2_INDEXED_DB'
const goodbyeMs = 500 // 0.5 seconds

let disconnectAll: (() => Promise<unknown>) | null = null
/** How to disconnect the wallets of this page, once it has loaded wagmi. */
export const onForget = (run: () => Promise<unknown>) => {
  disconnectAll = run
}

/** Disconnects every wallet and forgets that it was connected. A wallet that does not answer is not waited for. */
export async function forgetWallets(): Promise<void> {
  const told = disconnectAll?.().catch(() => undefined)
  if (told) await Promise.race([told, new Promise((resolve) => setTimeout(resolve, goodbyeMs))])
  for (const key of Object.keys(localStorage)) if (walletKeys.test(key)) localStorage.removeItem(key)
  indexedDB.deleteDatabase(walletDatabase)
}

type Stored = { state?: { connections?: { value?: unknown[] } } } | null

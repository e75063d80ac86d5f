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

type Stored = { state?: { connections?: { value?: unknown[] } } } | null

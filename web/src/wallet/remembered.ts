/** Where wagmi keeps what was connected. Read here without loading wagmi. */
const key = 'wagmi.store'

/** Whether a wallet was connected when this page was last left. */
export function isWalletRemembered(): boolean {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Stored
    return (stored?.state?.connections?.value?.length ?? 0) > 0
  } catch {
    return false
  }
}

type Stored = { state?: { connections?: { value?: unknown[] } } } | null

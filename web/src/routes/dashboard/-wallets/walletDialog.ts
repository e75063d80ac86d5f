import type { Wallet } from '#web/queries/wallets.ts'

/** Props of every dialog about one wallet (walletActions.ts). */
export type WalletDialogProps = { wallet: Wallet; onClose: () => void }

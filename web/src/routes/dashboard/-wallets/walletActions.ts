import {
  ArrowUpRight,
  Eye,
  KeyRound,
  Landmark,
  LifeBuoy,
  LogOut,
  type LucideIcon,
  Pencil,
  Plus,
  QrCode,
  ShieldOff,
  Trash2,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { Call } from '#domain/roles.ts'
import { canPay, isActive, type Wallet } from '#web/queries/wallets.ts'
import { isLate } from './deployment.ts'
import type { WalletActionId, WalletDialogProps } from './walletSearch.ts'

export type WalletAction = {
  /** What it calls: absent for those who may not. */
  call: Call
  label: string
  icon: LucideIcon
  /** Where the wallet's card offers the action: as a large button, next to the address, or in the menu. */
  place: 'button' | 'address' | 'menu'
  /** Whether the action is offered for a wallet. Defaults to all wallets. */
  shows?: (wallet: Wallet) => boolean
  /** Whether the action is possible now. Defaults to always. */
  enabled?: (wallet: Wallet) => boolean
  /** Shown in red, at the end of the menu. */
  danger?: boolean
  /** Loaded when it is first opened. */
  Dialog: ComponentType<WalletDialogProps>
}

/** Test USDC is free, so no card buys it. */
const isOnBase = (wallet: Wallet) => wallet.chain === 'base'
const isSmart = (wallet: Wallet) => wallet.walletType === 'smart'

/**
 * The actions for one wallet, in the order on its card. The key is the page's search parameter (walletSearch.ts):
 * `/dashboard/wallets?send=ID` opens the dialog of `send`.
 */
export const walletActions = {
  send: {
    call: 'send',
    label: 'Send',
    icon: ArrowUpRight,
    place: 'button',
    enabled: canPay,
    Dialog: lazy(() => import('../-send/SendDialog.tsx')),
  },
  addFunds: {
    call: 'onramp.start',
    label: 'Add Funds',
    icon: Plus,
    place: 'button',
    shows: isOnBase,
    enabled: isActive,
    Dialog: lazy(() => import('./AddFundsDialog.tsx')),
  },
  withdraw: {
    call: 'wallets.submitOwnerAction',
    label: 'Withdraw',
    icon: Landmark,
    place: 'button',
    enabled: isActive,
    Dialog: lazy(() => import('./WithdrawDialog.tsx')),
  },
  receive: {
    call: 'onramp.start',
    label: 'Receive',
    icon: QrCode,
    place: 'address',
    enabled: isActive,
    Dialog: lazy(async () => ({ default: (await import('./WalletDialogs.tsx')).ReceiveDialog })),
  },
  session: {
    call: 'wallets.rotateSessionKey',
    label: 'Session key',
    icon: KeyRound,
    place: 'menu',
    shows: isSmart,
    enabled: isActive,
    Dialog: lazy(() => import('./session/SessionDialog.tsx')),
  },
  exit: {
    call: 'wallets.submitOwnerAction',
    label: 'Withdraw everything',
    icon: LogOut,
    place: 'menu',
    shows: isSmart,
    enabled: isActive,
    Dialog: lazy(() => import('./session/ExitDialog.tsx')),
  },
  recovery: {
    call: 'wallets.ownerSigningContext',
    label: 'Recovery sheet',
    icon: LifeBuoy,
    place: 'menu',
    shows: isSmart,
    Dialog: lazy(() => import('./session/RecoveryDialog.tsx')),
  },
  viewKey: {
    call: 'wallets.viewPrivateKey',
    label: 'View Private Key',
    icon: Eye,
    place: 'menu',
    shows: (wallet) => wallet.walletType === 'imported',
    Dialog: lazy(() => import('./ViewKeyDialog.tsx')),
  },
  rename: {
    call: 'wallets.rename',
    label: 'Rename',
    icon: Pencil,
    place: 'menu',
    Dialog: lazy(async () => ({ default: (await import('./WalletDialogs.tsx')).RenameDialog })),
  },
  authority: {
    call: 'wallets.submitOwnerAction',
    label: 'Revoke authority',
    icon: ShieldOff,
    place: 'menu',
    shows: isSmart,
    enabled: isActive,
    danger: true,
    Dialog: lazy(() => import('./session/AuthorityDialog.tsx')),
  },
  delete: {
    call: 'wallets.delete',
    label: 'Delete',
    icon: Trash2,
    place: 'menu',
    danger: true,
    enabled: (wallet) => wallet.status !== 'deploying' || isLate(wallet),
    Dialog: lazy(async () => ({ default: (await import('./WalletDialogs.tsx')).DeleteDialog })),
  },
} satisfies Record<WalletActionId, WalletAction>

/** The actions that a wallet's card offers in one place. */
export const actionsAt = (place: WalletAction['place'], wallet: Wallet, isAllowed: (call: Call) => boolean) =>
  (Object.entries(walletActions) as [WalletActionId, WalletAction][]).filter(
    ([, action]) => action.place === place && isAllowed(action.call) && (action.shows?.(wallet) ?? true),
  )

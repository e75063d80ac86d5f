import type { PublicConfig } from '#schemas/account.ts'
import { contractsOfWallet } from '#web/lib/chainConfig.ts'
import { type Wallet, walletName } from '#web/queries/wallets.ts'

export type RecoverySheet = { title: string; madeOn: string; facts: [string, string][]; steps: string[] }

/** The facts and steps of a recovery sheet. All of them are public. */
export function recoverySheet(wallet: Wallet, chain: PublicConfig['chains']['8453'], now = new Date()): RecoverySheet {
  const isBase = wallet.chain === 'base'
  const contracts = contractsOfWallet(chain, wallet)
  return {
    title: `Recovery sheet: ${walletName(wallet)}`,
    madeOn: now.toISOString().slice(0, 10),
    facts: [
      ['Wallet address', wallet.address],
      ['Owner address', wallet.ownerAddress],
      ['Owner key', 'Your 12-word recovery phrase or your connected wallet. It is not on this sheet.'],
      ['Network', isBase ? 'Base, chain id 8453' : 'Base Sepolia (test network), chain id 84532'],
      [
        'RPC URL',
        chain.rpcUrl.startsWith('https:')
          ? chain.rpcUrl
          : isBase
            ? 'https://mainnet.base.org'
            : 'https://sepolia.base.org',
      ],
      ['Created', wallet.createdAt],
      ['Creation transaction', wallet.deploymentTxHash ?? 'see the explorer'],
      ['USDC', chain.contracts.usdc],
      ['Wallet factory', wallet.factory],
      // The wallet's own escrow contract, in whose logs its payouts can be found.
      ['Payout escrow', contracts?.escrow ?? 'call ESCROW() on the wallet'],
      ['Provider', contracts?.provider ?? 'call provider() on the wallet'],
      ['Address salt', wallet.salt],
      ...(wallet.status === 'active' ? [] : creation(wallet)),
    ],
    steps: [
      ...(wallet.status === 'active' ? [] : [create]),
      'Open the recovery page: the file bursar-recovery.html. It works from your disk, without our servers.',
      'Send about 1 USD of ETH on this network to the owner address: it pays the network fees.',
      'Enter the RPC URL (this one or any other for this network), your recovery phrase, the wallet address and, if the page asks for it, the wallet factory.',
      'Look up the wallet. Reclaim open payouts, revoke the session key, then withdraw everything to an address of yours.',
      'Without the page: call reclaimPayout(terms), revokeSession() and withdraw(token, to, amount) on the wallet from the owner’s account. The terms of payouts are in the escrow’s PayoutAnnounced logs with the wallet as payer.',
    ],
  }
}

/** The first session. The address commits to it as well as to owner and salt, so it is needed to create the wallet. */
const creation = (wallet: Wallet): [string, string][] => [
  ['First session key', wallet.sessionKeyAddress],
  ['First session limit', `${wallet.spendingLimit} micro-USDC`],
  ['Purchase allowance', `${wallet.purchaseAllowance} USDC`],
  ['First session ends', `${wallet.validUntil} (Unix seconds)`],
]
const create =
  'This wallet was not on chain when the sheet was made. If it still is not, create it first: anyone may call createWallet(owner, salt, sessionKey, limit, purchaseAllowance, validUntil) on the wallet factory with the values above.'

export function sheetText({ title, madeOn, facts, steps }: RecoverySheet): string {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2
  return [
    title,
    '='.repeat(title.length),
    `Made on ${madeOn}. Nothing on this sheet is secret; keep it with your recovery phrase.`,
    '',
    ...facts.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`),
    '',
    'How to get your money out without us',
    ...steps.map((step, i) => `${i + 1}. ${step}`),
    '',
  ].join('\n')
}

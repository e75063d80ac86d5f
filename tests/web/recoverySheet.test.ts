import { expect, test } from 'vitest'
import type { PublicConfig } from '#schemas/account.ts'
import { contractsOfWallet } from '#web/lib/chainConfig.ts'
import type { Wallet } from '#web/queries/wallets.ts'
import { recoverySheet, sheetText } from '#web/routes/dashboard/-wallets/session/recoverySheet.ts'

const address = (set: string, digit: string) => `0x${`${set}${digit}`.padEnd(40, digit)}`
const contracts = (set: string) => ({
  usdc: address('', '1'),
  escrow: address(set, '2'),
  vaultImplementation: address(set, '3'),
  provider: address(set, '4'),
  factory: address(set, '5'),
  walletImplementation: address(set, '6'),
  relay: address(set, '7'),
})
const [first, second] = [contracts('a'), contracts('b')]
const chain: PublicConfig['chains']['8453'] = {
  explorerUrl: 'https://explorer.test',
  rpcUrl: 'https://rpc.test',
  contracts: second,
  contractSets: { 1: first, 2: second },
}
const wallet = (contractSet: number, factory: string) =>
  ({ contractSet, factory, chain: 'base', status: 'active', name: 'Ops', address: address('', '9') }) as Wallet

test('the recovery sheet and the address check use the wallet’s own contract set, not the newest @sets-10', () => {
  for (const [set, ours] of [[1, first] as const, [2, second] as const]) {
    expect(contractsOfWallet(chain, wallet(set, ours.factory))).toEqual(ours)
    expect(recoverySheet(wallet(set, ours.factory), chain).facts).toEqual(
      expect.arrayContaining([
        ['USDC', ours.usdc],
        ['Wallet factory', ours.factory],
        ['Payout escrow', ours.escrow],
        ['Provider', ours.provider],
      ]),
    )
  }
})

test('for an unknown contract set, the recovery sheet names the wallet’s functions to call instead', () => {
  const text = sheetText(recoverySheet(wallet(3, address('c', '5')), chain))
  expect(text).toMatch(/Payout escrow: +call ESCROW\(\) on the wallet/)
  expect(text).not.toContain(second.escrow)
  expect(contractsOfWallet(chain, { contractSet: null })).toBeNull()
})

import { encodeFunctionData, getAbiItem, toEventSelector, toFunctionSignature } from 'viem'
import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  calldata,
  disableRotation,
  disableRotationSignature,
  reclaimPayout,
  revokeSession,
  withdraw,
} from '#chain/ownerCalls.ts'
import { ownerSecretOf } from '#web/lib/ownerSecret.ts'
import { topics } from '#web/recovery/wallet.ts'
import { agentWalletAbi, agentWalletFactoryAbi, payoutEscrowAbi, usdcAbi } from '../../worker/chain/abi.ts'

const address = (digit: string) => `0x${digit.repeat(40)}` as const

describe('ownerSecretOf', () => {
  test('accepts words in any case and spacing, and a private key with or without 0x', () => {
    const phrase = generateMnemonic(english, 128)
    const account = mnemonicToAccount(phrase)
    const found = ownerSecretOf(`\n ${phrase.toUpperCase().replaceAll(' ', ' \t ')} `)
    expect(found.address).toBe(account.address)
    expect(ownerSecretOf(found.privateKey)).toEqual(found)
    expect(ownerSecretOf(found.privateKey.slice(2).toUpperCase())).toEqual(found)
  })

  test.each([
    ['', 'Please enter your recovery phrase or private key'],
    ['abandon abandon', 'neither a recovery phrase of 12 words nor a private key'],
    [`0x${'12'.repeat(31)}`, 'neither a recovery phrase of 12 words nor a private key'],
    [`${'abandon '.repeat(11)}abuot`, '“abuot” is not a word of a recovery phrase'],
    [`0x${'00'.repeat(32)}`, 'can’t be read'],
  ])('refuses %j with a reason', (text, problem) => {
    expect(() => ownerSecretOf(text)).toThrow(problem)
  })
})

test('the owner’s calls and the recovery page’s event topics match the contracts’ ABIs', () => {
  const abi = agentWalletAbi
  const noToken = address('0')
  const terms = { payer: address('1'), claimKey: address('2'), reclaimKey: address('3'), amount: 4n, expiry: 5 }
  expect(reclaimPayout(terms)).toBe(encodeFunctionData({ abi, functionName: 'reclaimPayout', args: [terms] }))
  expect(revokeSession()).toBe(encodeFunctionData({ abi, functionName: 'revokeSession' }))
  expect(disableRotation()).toBe(encodeFunctionData({ abi, functionName: 'disableRotationAuthority' }))
  expect(disableRotationSignature).toBe(toFunctionSignature(getAbiItem({ abi, name: 'disableRotationAuthority' })))
  expect(withdraw(noToken, address('7'), 8n)).toBe(
    encodeFunctionData({ abi, functionName: 'withdraw', args: [noToken, address('7'), 8n] }),
  )
  for (const view of ['USDC', 'ESCROW', 'state'] as const)
    expect(calldata(`${view}()`)).toBe(encodeFunctionData({ abi, functionName: view }))
  for (const view of ['IMPLEMENTATION', 'PROVIDER'] as const)
    expect(calldata(`${view}()`)).toBe(encodeFunctionData({ abi: agentWalletFactoryAbi, functionName: view }))
  expect(calldata('VAULT()')).toBe(encodeFunctionData({ abi: payoutEscrowAbi, functionName: 'VAULT' }))
  expect(calldata('balanceOf(address)', address('7'))).toBe(
    encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [address('7')] }),
  )
  const event = (from: readonly { type: string; name?: string }[], name: string) =>
    toEventSelector(from.find((item) => item.type === 'event' && item.name === name) as never)
  expect(topics).toEqual({
    walletCreated: event(agentWalletFactoryAbi, 'WalletCreated'),
    payoutAnnounced: event(payoutEscrowAbi, 'PayoutAnnounced'),
    transfer: event(usdcAbi, 'Transfer'),
  })
})

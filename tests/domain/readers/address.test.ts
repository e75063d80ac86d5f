import { expect, test } from 'vitest'
import { addressIn } from '#domain/readers/address.ts'
import { claimTokenIn } from '#domain/readers/claimToken.ts'
import { problemIn, valueIn } from '#domain/readers/read.ts'
import { unspendableProblem } from '#domain/unspendable.ts'
import { readAddress } from '#domain/validators.ts'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'
const digits = address.slice(2)

test.each([
  address,
  ` ${address}\n`,
  `base:${address}`,
  `BASE:${address}`,
  `eip155:8453:${address}`,
  `ethereum:${address}`,
  `ethereum:${address}@8453`,
  `ethereum:pay-${address}@8453`,
  `0X${digits}`,
  `\u200b${address}`,
  `\u2066${address}\u2069`,
  `\ufeff${address.slice(0, 20)}\u00ad${address.slice(20)}`,
  `0x ${digits.match(/.{4}/g)!.join(' ')}`,
])('%j is read as the address @addresses-1', (text) => expect(readAddress(text)).toEqual({ value: address }))

test('only what nobody sees is said to be removed @addresses-2', () => {
  const note = (text: string) => valueIn(addressIn(text))?.note
  expect([address, ` base:${address} `].map(note)).toEqual([null, null])
  expect(note(`\u200b${address}`)).toBe('Invisible characters were removed from the address.')
})

test.each(['eth:', 'matic:', 'arb1:', 'basesep:', 'eip155:1:', 'eip155:84532:', 'bitcoin:'])(
  'an address with the prefix %s of another network is refused @addresses-3',
  (prefix) =>
    expect(problemIn(readAddress(`${prefix}${address}`))).toBe(
      'This address is for another network. It must be one on Base.',
    ),
)

test('the network that counts is that of the wallet @addresses-4', () => {
  expect(readAddress(`basesep:${address}`, 84532)).toEqual({ value: address })
  expect(readAddress(`ethereum:${address}@84532`, 84532)).toEqual({ value: address })
  for (const text of [`base:${address}`, `ethereum:${address}@8453`])
    expect(problemIn(readAddress(text, 84532))).toMatch(/another network.*Base Sepolia/)
})

test.each([
  [`ethereum:${address}@8453/transfer?address=${address}&uint256=1`, /request for a payment/],
  [`ethereum:${address}?value=1`, /request for a payment/],
  [digits, 'Wallet address must start with 0x'],
  ['ada.eth', 'Wallet address must start with 0x'],
  [`https://basescan.org/address/${address}`, 'Wallet address must start with 0x'],
  [`base:1:${address}`, 'Wallet address must start with 0x'],
  ['', 'Wallet address is required'],
  [address + digits, 'Wallet address must be 42 characters long (0x + 40 hex characters)'],
  [`${address} ${address}`, 'Wallet address must be 42 characters long (0x + 40 hex characters)'],
  [`base:${address.replace('E', 'e')}`, 'Invalid wallet address format'],
])('%j is refused @addresses-5', (text, problem) => expect(problemIn(readAddress(text))).toMatch(problem))

test.each([
  '0x000000000000000000000000000000000000dEaD',
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000100', // RIP-7212
  '0x4200000000000000000000000000000000000006', // WETH on Base
  '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001',
  '0xdEAD000000000000000042069420694206942069',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  '0x1234567890123456789012345678901234567890',
])('%s cannot receive payments @addresses-6', (burnt) =>
  expect(unspendableProblem(burnt)).toMatch(/Nobody has the key/),
)

test('other addresses can, also with many equal digits @addresses-7', () => {
  const others = [
    address,
    '0x1111111254EEB25477B68fb85Ed929f73A960582',
    '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    '0x4200000000000000000000000000000000000800',
  ]
  expect(others.map(unspendableProblem)).toEqual([null, null, null, null])
  expect(unspendableProblem(`0x${'0'.repeat(40)}`)).toBe('The zero address cannot receive payments.')
})

test.each(['', '.', ')', '>', ',', ' ', '/', '%20', '**', '_', '"', ').', '。', '…', '?utm=1', "'s"])(
  'a claim link with %j behind it is the same link @addresses-8',
  (end) => {
    const token = `AbCd-_09${'x'.repeat(44)}`
    expect(claimTokenIn(`${token}${end}`)).toBe(token)
    for (const other of [`${token.slice(1)}${end}`, `${token}x${end}`, `${token}-${end}`])
      expect(claimTokenIn(other)).toBe(other)
  },
)

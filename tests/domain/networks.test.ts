import { expect, test } from 'vitest'
import { chainIdOf, chainIds, chainNameOf, chainNames, isChainId } from '#domain/networks.ts'
import { sameAddress } from '#domain/sameAddress.ts'

test('chain ids and names translate into each other', () => {
  expect(chainIds.map(chainNameOf)).toEqual(['base', 'base-sepolia'])
  expect(chainNames.map(chainIdOf)).toEqual([8453, 84532])
  expect([8453, 84532, 1].map(isChainId)).toEqual([true, true, false])
})

test('addresses are compared regardless of case, and a missing address equals nothing', () => {
  expect(sameAddress('0xAbC', '0xaBc')).toBe(true)
  expect(sameAddress('0xabc', '0xabd')).toBe(false)
  expect(sameAddress(null, '0xabc')).toBe(false)
  expect(sameAddress(null, null)).toBe(false)
})

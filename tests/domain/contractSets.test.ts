import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rememberContracts, savedUsdc } from '../../local/stack/chains.ts'
import {
  allContracts,
  contractNames,
  contractSetting,
  contractsOf,
  parseContractSets,
  withContracts,
} from '../../worker/chain/contractSets.ts'
import type { ContractSets, Contracts } from '../../worker/chain/types.ts'

const usdc = `0x${'11'.repeat(20)}`
const set = (digit: string) =>
  ({
    ...Object.fromEntries(contractNames.map((name, i) => [name, `0x${digit}${i}`.padEnd(42, digit)])),
    usdc,
  }) as Contracts
const [first, second] = [set('a'), set('b')]
const parse = (value: unknown) => parseContractSets(JSON.stringify(value))

describe('CONTRACTS_<chain>', () => {
  test('accepts one set, which becomes version 1, or several with the newest named @sets-2', () => {
    expect(parse({})).toEqual({ newest: 1, sets: {} })
    expect(parse(first)).toEqual({ newest: 1, sets: { 1: first } })
    expect(parse({ newest: 2, sets: { 1: first, 2: second } })).toEqual({ newest: 2, sets: { 1: first, 2: second } })
    // `newest` may name an older set again.
    expect(parse({ newest: 1, sets: { 1: first, 2: second } })).toMatchObject({ newest: 1 })
  })

  test.each([
    ['an array', [first], 'is not a JSON object'],
    ['no newest', { sets: { 1: first } }, 'must name the newest of its sets'],
    ['a newest that does not exist', { newest: 2, sets: { 1: first } }, 'must name the newest of its sets'],
    ['a newest that is not a number', { newest: '1', sets: { 1: first } }, 'must name the newest of its sets'],
    ['sets given as a list', { newest: 0, sets: [first] }, 'has no object of sets'],
    ['a set without a number', { newest: 1, sets: { 1: first, two: second } }, 'must number its sets from 1'],
    ['a set 0', { newest: 1, sets: { 0: first, 1: first } }, 'must number its sets from 1'],
    ['a set that is null', { newest: 1, sets: { 1: first, 2: null } }, 'has no address for usdc, escrow'],
    [
      'a set without its relay',
      { newest: 2, sets: { 1: first, 2: { ...second, relay: '0x12' } } },
      'has no address for relay in set 2',
    ],
    [
      'another token',
      { newest: 1, sets: { 1: first, 2: { ...second, usdc: second.relay } } },
      'must have the same usdc in all sets',
    ],
  ])('%s is refused', (_, value, problem) => {
    expect(parse(value)).toContain(problem)
  })
})

test('the error for an unknown contract set names the set and the setting', () => {
  const chain = { chainId: 8453 as const, contractSets: parse(first) as ContractSets }
  expect(contractsOf(chain, 1)).toEqual(first)
  expect(() => contractsOf(chain, 2)).toThrow('contract set 2 is not in CONTRACTS_8453')
  expect(allContracts(chain)).toHaveLength(contractNames.length - 1)
})

test('withContracts adds contracts as the next set, or finds their existing set regardless of address case', () => {
  const one = withContracts({ newest: 1, sets: {} }, first)
  expect(one).toEqual({ newest: 1, sets: { 1: first } })
  // A single set keeps its original format.
  expect(contractSetting(one)).toBe(JSON.stringify(first))
  const two = withContracts(one, second)
  expect(two).toEqual({ newest: 2, sets: { 1: first, 2: second } })
  expect(parseContractSets(contractSetting(two))).toEqual(two)
  const upperCase = JSON.parse(JSON.stringify(first).toUpperCase().replaceAll('"0X', '"0x')) as Record<string, string>
  const again = Object.fromEntries(contractNames.map((name) => [name, upperCase[name.toUpperCase()]])) as Contracts
  expect(withContracts(two, again)).toEqual({ newest: 1, sets: two.sets })
})

test('a local state keeps its contract sets and its token when the contracts change @sets-9', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-contracts-'))
  const file = join(folder, 'contracts.json')
  try {
    expect(savedUsdc(folder, 8453)).toBeUndefined()
    writeFileSync(file, JSON.stringify({ 8453: first, 84532: second })) // the format of older states
    expect(rememberContracts(folder, 8453, second, false)).toEqual({ newest: 2, sets: { 1: first, 2: second } })
    expect(rememberContracts(folder, 84532, second, false)).toEqual({ newest: 1, sets: { 1: second } })
    expect(savedUsdc(folder, 8453)).toBe(usdc)
    // A chain that has lost its state has none of the earlier contracts.
    expect(rememberContracts(folder, 8453, first, true)).toEqual({ newest: 1, sets: { 1: first } })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ 8453: first, 84532: second })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

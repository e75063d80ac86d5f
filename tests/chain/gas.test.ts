import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GasRow, measureGas } from '../support/gas.ts'
import { type LocalChain, startLocalChain } from '../support/localChain.ts'
import { patient } from '../support/patience.ts'

describe('gas ceilings (receipt gasUsed)', () => {
  let chain: LocalChain
  let rows: GasRow[]

  beforeAll(async () => {
    chain = await startLocalChain()
    rows = await measureGas(chain)
  }, patient(180_000))

  afterAll(() => chain.stop())

  test('every action stays at or below its ceiling', () => {
    const broken = rows.filter(({ gas, ceiling, floor = 0 }) => gas > ceiling || gas < floor)
    expect(broken).toEqual([])
    expect(rows).toHaveLength(21)
  })

  test('one send in a batch of three wallets costs less than a plain transfer in the same run', () => {
    const [plain, batched] = ['plain USDC transfer', 'one send in a batch of 3'].map(
      (action) => rows.find((row) => row.action.startsWith(action))!.gas,
    )
    expect(batched).toBeLessThan(plain!)
  })
})

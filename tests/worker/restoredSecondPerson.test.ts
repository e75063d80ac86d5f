/** The limit above which a second person must agree, in an account that an operator restores. */
import { beforeAll, expect, test } from 'vitest'
import { leftAlone, setSecondPerson } from '../../worker/treasury/limits/secondPerson.ts'
import { usdc } from '../support/build.ts'
import { syncHistory } from '../support/histories.ts'
import { payAndConfirm } from '../support/manualClock.ts'
import { createPayer, manualChain, prepare } from '../support/payer.ts'
import { copyOf, restoringOperator, works } from '../support/restoringOperator.ts'
import { inTreasury } from '../support/treasuries.ts'

beforeAll(prepare)

test('after a restore, what was accepted since the state that it went back to counts to the limit @second-person-11', {
  tags: ['all'],
}, async () => {
  const payer = await createPayer({ on: manualChain, limit: '100' })
  const left = () => inTreasury(payer, ({ context }) => leftAlone(context, null))
  await inTreasury(payer, ({ context }) => context.store.transaction(() => void setSecondPerson(context, usdc('10'))))
  await payAndConfirm(payer, { amount: usdc('3') })
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  await payAndConfirm(payer, { amount: usdc('4') })
  await syncHistory(payer)
  expect(await left()).toBe(usdc('3'))

  const { run, back, continueRestore } = await restoringOperator(payer)
  await run('freeze')
  await back(earlier)
  expect(await continueRestore()).toMatchObject({ state: 'open', unexplained: [] })
  await works(payer)
  expect(await left(), 'neither forgotten nor counted twice').toBe(usdc('3'))
})

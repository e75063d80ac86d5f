/** Differences that a restore cannot explain, and the operator who accepts them. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { forgetPayment } from '../support/histories.ts'
import { becomes } from '../support/manualClock.ts'
import { accepted, createPayer, manualChain, prepare } from '../support/payer.ts'
import { copyOf, pastTheGate } from '../support/restoredTreasury.ts'
import { operator, restoringOperator } from '../support/restoringOperator.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

test('an operator accepts exactly the list that was shown; a list that has changed since is shown again @restore-38', async () => {
  const payer = await createPayer({ on: manualChain })
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)
  const { run, back, goOn } = await restoringOperator(payer)
  const earlier = await copyOf(payer)
  const { id } = await accepted(payer)
  await becomes(payer, id, 'CONFIRMED')
  await run('freeze')
  await forgetPayment(payer, id)
  await back(earlier)

  const unseen = await goOn({ accept: 'f'.repeat(12) })
  expect(unseen).toMatchObject({ step: 'unexplained', doing: expect.stringContaining('a different list') })
  const shown = await goOn()
  expect(shown).toMatchObject({ step: 'unexplained', unexplained: [{ what: 'transfer' }] })
  expect(await goOn()).toMatchObject({ list: shown.list })

  await inTreasury((treasury) => pastTheGate(treasury).store.run('UPDATE wallet SET deposits = deposits + 1'))
  await manualChain.mine()
  const changed = await goOn({ accept: shown.list! })
  expect(changed).toMatchObject({
    step: 'unexplained',
    doing: expect.stringContaining('a different list'),
    unexplained: [{ what: 'transfer' }, { what: 'books', detail: expect.stringContaining('0.000001 USDC less') }],
  })
  expect(changed.list).not.toBe(shown.list)

  await manualChain.mine(4)
  const { list, unexplained } = changed
  expect(await goOn({ accept: list! })).toMatchObject({ step: 'done' })
  const audited = await inTreasury((treasury) =>
    pastTheGate(treasury).store.first<{ data: string }>(
      "SELECT data FROM audit WHERE event = 'account.restore_accepted'",
    ),
  )
  expect(JSON.parse(audited!.data)).toEqual({ by: operator, list, unexplained })
  const { results } = await env.DB.prepare(
    "SELECT detail FROM operator_action WHERE subject = ? AND action = 'user.restore' ORDER BY at DESC, id DESC LIMIT 1",
  )
    .bind(payer.userId)
    .all<{ detail: string }>()
  expect(JSON.parse(results[0]!.detail)).toEqual({ act: 'continue', accept: list })
})

import { expect, test } from 'vitest'
import type { Transaction } from '#web/queries/transactions.ts'
import { contactMethodOf } from '#web/routes/dashboard/-contacts/AddMethod.tsx'

const none = { toAddress: null, recipientEmail: null, recipientPhone: null }

test.each<[Partial<Transaction>, ReturnType<typeof contactMethodOf>]>([
  [{ ...none, category: 'address', toAddress: '0x1' }, { address: '0x1' }],
  [{ ...none, category: 'payout', toAddress: '0x1', recipientEmail: 'ann@x.test' }, { email: 'ann@x.test' }],
  [{ ...none, category: 'payout', toAddress: '0x1', recipientPhone: '+14155550123' }, { phone: '+14155550123' }],
  [{ ...none, category: 'payout_reclaim', toAddress: '0x1', recipientPhone: '+14155550123' }, null],
  [{ ...none, category: 'payout', toAddress: '0x1' }, null],
])('the recipient of %j can be added as a contact with %j @contact-method-1', (transaction, method) =>
  expect(contactMethodOf(transaction as Transaction)).toEqual(method),
)

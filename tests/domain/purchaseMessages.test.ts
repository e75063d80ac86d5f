import { expect, test } from 'vitest'
import { approvalNotice, approvalsMessage, type WaitingApproval } from '../../worker/notifications/approvalMessages.ts'

const waiting: WaitingApproval = {
  approvalId: 'apr_1',
  kind: 'purchase',
  agent: 'Scout',
  amount: '0.28',
  isTest: false,
  recipient: 'api.example.com',
  expiresAt: Date.UTC(2026, 10, 22, 12),
}
const mail = (...all: WaitingApproval[]) =>
  JSON.stringify(
    approvalsMessage({ id: '1', to: 'ann@bursar.test', waiting: all, account: null, appOrigin: 'https://bursar.test' }),
  )

test('the email about a purchase names its host, which is no link, the notice on a lock screen does not @purchase-screens-3', () => {
  expect(mail(waiting)).toContain('Scout asks to buy from api[.]example[.]com for 0.28 USDC.')
  expect(mail(waiting)).toContain('Scout asks for a purchase of 0.28 USDC')
  expect(mail(waiting, { ...waiting, kind: 'payment', recipient: 'Grace' })).toContain(
    'Scout asks to pay 0.28 USDC to Grace.',
  )
  const notice = approvalNotice([waiting], null)
  expect(notice.title).toBe('Scout asks to buy for 0.28 USDC')
  expect(JSON.stringify(notice)).not.toContain('example')
})

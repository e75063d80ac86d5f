import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsdc } from '#domain/money.ts'
import { onrampAmountProblem } from '#domain/onrampRules.ts'
import { eachNote } from '#domain/paymentNotes.ts'
import { amountProblem, looksLike, payoutProblems, type SendValues, sendProblems } from '#domain/sendRules.ts'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'
const good: SendValues = {
  walletId: 'wal_1',
  to: 'address',
  address,
  email: '',
  phone: '',
  contactId: '',
  method: '',
  amount: '1',
  ...eachNote(() => ''),
  expiresInDays: '30',
  senderName: '',
}
const balance = (now: string) => ({ now, limitedBy: 'balance' as const })
/** The first problem, which gets the focus, with its field. */
const first = (changes: Partial<SendValues>, available: string | null = '10', problems = sendProblems) =>
  Object.entries(problems({ ...good, ...changes }, available === null ? null : balance(available))).find(
    ([, message]) => message,
  ) ?? null

test.each<[Partial<SendValues>, [string, string] | null]>([
  [{}, null],
  [{ address: `  ${address}\n` }, null],
  [{ address: ' ' }, ['address', 'Please enter a recipient address']],
  [{ address: 'vitalik.eth' }, ['address', 'Wallet address must start with 0x']],
  [{ address: '0xvitalik.eth' }, ['address', 'Wallet address must be 42 characters long (0x + 40 hex characters)']],
  [{ address: `${address}0` }, ['address', 'Wallet address must be 42 characters long (0x + 40 hex characters)']],
  [{ address: `0x${'g'.repeat(40)}` }, ['address', 'Invalid wallet address format']],
  [{ address: address.replace('E', 'e') }, ['address', 'Invalid wallet address format']],
  [{ address: address.toLowerCase() }, null],
  [{ to: 'email' }, ['email', 'Please enter an email address']],
  [{ to: 'email', email: 'ada' }, ['email', 'Invalid email format']],
  [{ to: 'email', email: ' ada@example.com ', address: 'nonsense' }, null],
  [{ to: 'email', email: 'ada@example.com', amount: '0.099999' }, ['amount', 'A payout must be at least 0.10 USDC']],
  [{ to: 'phone' }, ['phone', 'Please enter a phone number']],
  [{ to: 'phone', phone: '555' }, ['phone', 'Phone number must be in international form, for example +14155550123']],
  [{ to: 'phone', phone: '+1 415 555 0123' }, null],
  [{ to: 'phone', phone: '+14155550123', amount: '0.09' }, ['amount', 'A payout must be at least 0.10 USDC']],
  [{ to: 'contact' }, ['contactId', 'Please select a contact']],
  [{ to: 'contact', contactId: 'c' }, ['method', 'Please select a contact method']],
  [
    { to: 'contact', contactId: 'c', method: 'phone', amount: '0.05' },
    ['amount', 'A payout must be at least 0.10 USDC'],
  ],
  [{ to: 'contact', contactId: 'c', method: 'address', amount: '0.05' }, null],
  [{ amount: '' }, ['amount', 'Please enter an amount']],
  [{ amount: '0.000000' }, ['amount', 'Amount must be greater than 0']],
  [{ amount: '.' }, ['amount', 'Enter digits with at most 6 decimals, for example 1234.50']],
  [{ amount: '1,500' }, ['amount', '“1,500” could mean 1500 or 1.5. Enter one of these.']],
  [{ address: `eth:${good.address}` }, ['address', 'This address is for another network. It must be one on Base.']],
  [
    { address: '0x000000000000000000000000000000000000dEaD' },
    ['address', 'Nobody has the key of this address, so a payment to it would be lost.'],
  ],
  [{ senderName: 'x'.repeat(61) }, ['senderName', 'Sender name must be at most 60 characters']],
  [{ amount: '10.000001' }, ['amount', 'Insufficient balance']],
  [{ amount: '10' }, null],
  [{ memo: 'x'.repeat(101) }, ['memo', 'Memo must be at most 100 characters']],
  [{ memo: `${'x'.repeat(100)} ` }, null],
  [{ address: '', amount: '', memo: 'x'.repeat(101) }, ['address', 'Please enter a recipient address']],
])('Send form: the first problem with %j is %j @send-26', (changes, problem) => expect(first(changes)).toEqual(problem))

test.each<[Partial<SendValues>, [string, string] | null]>([
  [{}, null],
  [{ walletId: '' }, ['walletId', 'Please select a source wallet']],
  [{ email: ' ' }, ['email', 'Please enter an email address for the recipient']],
  [{ email: 'ada@' }, ['email', 'Invalid email']],
  [{ amount: '' }, ['amount', 'Please enter a valid amount']],
  [{ amount: '0' }, ['amount', 'Please enter a valid amount']],
  [{ amount: '.' }, ['amount', 'Please enter a valid amount']],
  [{ amount: '10.000001' }, ['amount', 'Insufficient balance']],
  [{ amount: '0.09' }, ['amount', 'A payout must be at least 0.10 USDC']],
  [{ to: 'phone' }, ['phone', 'Please enter a phone number for the recipient']],
  [{ to: 'phone', phone: '+1 415 555 0123', email: 'nonsense' }, null],
])('Create Payout form: the first problem with %j is %j @send-31', (changes, problem) =>
  expect(first({ to: 'email', email: 'ada@example.com', ...changes }, '10', payoutProblems)).toEqual(problem),
)

test('the form refuses more than the session key may pay and says why @send-32', () => {
  const limit = { now: '50', limitedBy: 'session' as const }
  expect(amountProblem('50', limit)).toBeNull()
  const why = 'The wallet’s session key has 50.00 USDC left. Send less, or rotate the key.'
  expect(amountProblem('50.000001', limit)).toBe(why)
  expect(payoutProblems({ ...good, to: 'email', email: 'ada@example.com', amount: '51' }, limit).amount).toBe(why)
})

test('any amount passes without a known balance @send-27', () => expect(first({ amount: '999999' }, null)).toBeNull())

test('the exact balance may be sent, one micro-USDC more may not @send-28', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (micro) => {
      const available = formatUsdc(micro)
      expect(amountProblem(available, balance(available))).toBeNull()
      expect(amountProblem(formatUsdc(micro + 1n), balance(available))).toBe('Insufficient balance')
    }),
  )
})

test('addresses with the same first and last characters look alike, but an address does not look like itself @send-29', () => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 34, maxLength: 34 })
  fc.assert(
    fc.property(hex, hex, (a, b) => {
      const of = (middle: string) => `0xabc${middle}def`
      expect(looksLike(of(a), of(b))).toBe(a.toLowerCase() !== b.toLowerCase())
      expect(looksLike(of(a), of(b))).toBe(looksLike(of(b), of(a)))
      expect(looksLike(`0xabd${a}def`, of(b))).toBe(false)
      expect(looksLike(`0xabc${a}dee`, of(b))).toBe(false)
    }),
  )
})

test.each([
  ['', 'Please enter a valid amount'],
  ['0', 'Please enter a valid amount'],
  ['1.0050', 'Enter digits with at most 2 decimals, for example 1234.50'],
  ['1.005', '“1.005” could mean 1005 or 1.0050. Enter one of these.'],
  ['-5', 'Please enter a valid amount'],
  ['0.99', 'Minimum amount is $1.00'],
  ['1', null],
  ['1.', null],
  ['500', null],
])('on-ramp: the problem with %j is %j @send-30', (text, problem) => expect(onrampAmountProblem(text)).toBe(problem))

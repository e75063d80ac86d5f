/** Very long texts, built to make a regular expression slow. */
import { expect, test } from 'vitest'
import { emailProblem } from '#domain/email.ts'
import { readAmount } from '#domain/readers/amount.ts'
import { codeInField } from '#domain/readers/code.ts'
import { normalDomain } from '#domain/rules/emailDomains.ts'
import { address, email, phone, shownText, usdcAmount } from '#schemas/common.ts'
import { defused } from '../../worker/notifications/defuse.ts'
import { leastCpuMs } from '../support/leastCpu.ts'

const long = 60_000
const texts = [
  `a@${'.'.repeat(long)}@`,
  `${'a@'.repeat(long / 2)}`,
  `${' '.repeat(long)}x`,
  `+${'1'.repeat(long)}x`,
  `+${'- '.repeat(long / 2)}x`,
  `${'1,111'.repeat(long / 5)}x`,
  `${'a-.'.repeat(long / 3)}!`,
  `${'a-'.repeat(120)}.!`,
]

test.each([
  ['email addresses', (text: string) => email.safeParse(text)],
  ['email addresses in forms', emailProblem],
  ['phone numbers', (text: string) => phone.safeParse(text)],
  ['addresses', (text: string) => address.safeParse(text)],
  ['amounts', (text: string) => usdcAmount.safeParse(text)],
  ['typed amounts', readAmount],
  ['codes', (text) => codeInField(text, '')],
  ['names', (text) => shownText({ label: 'Name', max: 60 }).safeParse(text)],
  ['messages', defused],
  ['domains', normalDomain],
] as [string, (text: string) => unknown][])(
  '%s are validated within 300 ms of CPU time, whatever the text',
  (_, validate) => {
    for (const text of texts) {
      expect(
        leastCpuMs(() => validate(text)),
        `${text.slice(0, 10)}…`,
      ).toBeLessThan(300)
    }
  },
)

/**
 * Whatever a caller sends, reading it takes time in proportion to its length. Each reader gets texts of 64 kB, the largest body of
 * most routes, of which a pattern that backtracks or a loop in a loop would make billions of steps: then the test does not end in time.
 */
import { test } from 'vitest'
import { appName } from '#domain/appName.ts'
import { csvLine } from '#domain/csv.ts'
import { asciiDomain, mailboxOf, readEmail } from '#domain/email.ts'
import { parseIdempotencyKey } from '#domain/idempotencyKey.ts'
import { decodeCursor, decodeRowCursor } from '#domain/lists.ts'
import { parseUsdc } from '#domain/money.ts'
import { isPushEndpoint } from '#domain/pushHosts.ts'
import { addressIn } from '#domain/readers/address.ts'
import { readAmount } from '#domain/readers/amount.ts'
import { claimTokenIn } from '#domain/readers/claimToken.ts'
import { readCode } from '#domain/readers/code.ts'
import { readPhone } from '#domain/readers/phone.ts'
import { cleanText, readText, searchTextOf } from '#domain/readers/text.ts'
import { redirectKey, redirectTarget } from '#domain/redirectUri.ts'
import { normalHostPattern } from '#domain/rules/hostPatterns.ts'
import { normalCallingCode } from '#domain/rules/phoneCodes.ts'
import { normalUri } from '#domain/sameUri.ts'
import { unspendableProblem } from '#domain/unspendable.ts'
import { parseUserCode } from '#domain/userCode.ts'
import { webhookUrlProblem } from '#domain/webhookUrl.ts'
import { parsePaymentRequired } from '#domain/x402/paymentRequired.ts'
import { acceptedBy } from '../../worker/mcp/acceptHeader.ts'
import { plainArguments, plainMessage } from '../../worker/mcp/arguments.ts'
import { defused } from '../../worker/notifications/defuse.ts'
import { quoted } from '../../worker/notifications/format.ts'

const bytes = 64 * 1024
const own = ['bursar.example']
const readers: Record<string, (text: string) => unknown> = {
  ...{
    acceptedBy,
    plainMessage,
    defused,
    appName,
    asciiDomain,
    mailboxOf,
    readEmail,
    parseIdempotencyKey,
    decodeCursor,
  },
  ...{ decodeRowCursor, parseUsdc, isPushEndpoint, addressIn, readAmount, claimTokenIn, readPhone, cleanText },
  ...{
    redirectKey,
    normalHostPattern,
    normalCallingCode,
    normalUri,
    unspendableProblem,
    parseUserCode,
    parsePaymentRequired,
  },
  quoted: (text) => quoted(text, 100),
  csvLine: (text) => csvLine([text]),
  readCode: (text) => readCode(text, 'Code'),
  readText: (text) => readText({ label: 'Name', max: 60 }, text),
  searchTextOf: (text) => searchTextOf(text),
  redirectTarget: (text) => redirectTarget(text, own),
  webhookUrlProblem: (text) => webhookUrlProblem(text, { isLocal: false, own }),
  plainArguments: (text) => plainArguments({ properties: { limit: { type: 'integer' } } }, { limit: text }),
}

const starts = ['', 'https://']
const units = [
  ...[
    ' ',
    '\n',
    '0',
    '1,',
    '1.',
    '(0)',
    '-',
    'a',
    'a.',
    'a@',
    '@',
    '/',
    '%',
    'xn--',
    '[',
    '{"a":',
    '"',
    '=',
    ';',
    '\\',
  ],
  ...['\u0301', '\u200b', '\u0661', '\ud83d\udc68\u200d', '\u00df', 'http://a.'],
]
const worst = starts.flatMap((start) =>
  units.map((unit) => `${start}${unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))}!`),
)

test.each(Object.entries(readers))('%s reads 64 kB in steps that grow with its length @safety-42', (_, read) => {
  for (const text of worst) read(text)
})

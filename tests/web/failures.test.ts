import { expect, test } from 'vitest'
import { ApiError } from '#web/lib/apiError.ts'
import { failureOf, failures } from '#web/lib/failures.ts'

const shown = (error: unknown) =>
  failureOf(error, 'Failed to create contact', failures.contact, 'Failed to save contact')
const blank = 'Something went wrong'

test.each([
  [new ApiError(409, 'conflict', 'Too many contacts.'), 'Too many contacts.'],
  [new ApiError(500, 'internal', blank), 'Failed to create contact'],
  [new ApiError(200, 'internal', blank), 'Failed to save contact'],
  [new TypeError('undefined is not a function'), 'Failed to save contact. Please try again or contact support.'],
])('%s is shown as %j @failures-1', (error, text) => expect(shown(error)).toBe(text))

test('a failure under a success status shows the general message if there is no specific one @failures-2', () =>
  expect(failureOf(new ApiError(200, 'internal', blank), 'Failed to create payout', failures.payout)).toBe(
    'Failed to create payout. Please try again or contact support.',
  ))

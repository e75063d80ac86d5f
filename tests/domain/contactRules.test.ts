import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ContactValues, contactProblems, duplicatesOf, noMethodText } from '#domain/contactRules.ts'
import { phoneText } from '#domain/readers/phone.ts'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'
const good: ContactValues = { name: 'Ada', address, email: '', phone: '', description: '' }
const problems = (changes: Partial<ContactValues>) =>
  Object.entries(contactProblems({ ...good, ...changes })).filter(([, message]) => message)

test.each<[Partial<ContactValues>, [string, string][]]>([
  [{}, []],
  [{ name: '🦉' }, []],
  [{ name: '👩‍🚀 Zoë ' }, []],
  [{ name: ' \u200b ' }, [['name', 'Name is required']]],
  [{ name: 'x'.repeat(101) }, [['name', 'Name must be at most 100 characters']]],
  [
    { name: '', address: '' },
    [
      ['name', 'Name is required'],
      ['address', noMethodText],
    ],
  ],
  [{ address: ' ', email: ' ' }, [['address', noMethodText]]],
  [{ address: '', email: 'ada@example.com' }, []],
  [{ address: '', phone: '+1 (415) 555-0123' }, []],
  [{ address: `${address} ` }, []],
  [{ address: 'ada.eth' }, [['address', 'Wallet address must start with 0x']]],
  [{ address: address.replace('E', 'e') }, [['address', 'Invalid wallet address format']]],
  [{ email: 'ada@' }, [['email', 'Invalid email format']]],
  [{ phone: '0151 23' }, [['phone', phoneText]]],
  [{ description: 'x'.repeat(501) }, [['description', 'Description must be at most 500 characters']]],
])('contact form: problems with %j are %j @contacts-16', (changes, found) => expect(problems(changes)).toEqual(found))

const known = { id: 'c1', name: 'Zoë', address, email: 'zoe@example.com', phone: '+14155550123' }
const shared = (changes: Partial<ContactValues>, ownId: string | null = null) =>
  duplicatesOf({ ...good, address: '', ...changes }, [known], ownId).map(({ shares }) => shares)

test('a duplicate is found by any shared field, regardless of case and formatting @contacts-17', () => {
  expect(shared({ address: ` ${address.toLowerCase()}` })).toEqual(['wallet address'])
  expect(shared({ email: 'ZOE@example.com' })).toEqual(['email'])
  expect(shared({ phone: '+1 415 555 0123' })).toEqual(['phone number'])
  expect(shared({ name: 'zoe\u0308' })).toEqual(['name'])
  expect(shared({ name: 'Zoe' })).toEqual([])
  expect(shared({ address }, 'c1')).toEqual([])
})

test('contacts that share only empty fields are not duplicates @contacts-18', () => {
  fc.assert(
    fc.property(fc.constantFrom('', ' ', '\t'), (blank) => {
      const bare = { id: 'c2', name: '', address: null, email: null, phone: null }
      expect(
        duplicatesOf({ name: blank, address: blank, email: blank, phone: blank, description: '' }, [bare], null),
      ).toEqual([])
    }),
  )
})

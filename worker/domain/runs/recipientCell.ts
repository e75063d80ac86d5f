import { contactName } from '../contactRules.ts'
import { readEmail } from '../email.ts'
import { callingCode, readPhone } from '../readers/phone.ts'
import { type Read, valueIn } from '../readers/read.ts'
import { readText } from '../readers/text.ts'
import { unspendableProblem } from '../unspendable.ts'
import { addressProblem, checksumAddress, readAddress } from '../validators.ts'
import { encodingProblem } from './encoding.ts'
import {
  errorCellProblem,
  hasHidden,
  isErrorCell,
  scientific,
  sentence,
  shown,
  withoutHidden,
  write,
} from './problems.ts'
import type { RunRecipient } from './row.ts'

/**
 * Who a row pays: an address, an email address, a phone number or a contact, each in one form only. In any other form it is a
 * problem, which says what to write if only one recipient can be meant. So nobody is paid whom the file doesn't show.
 */

const kinds = 'an address (0x…), an email address, a phone number (+…) or contact:NAME'
const again = 'Copy it again from the recipient.'
const maxLength = 320
const inQuotes = /^["'“”„‘’«»][^<>]+["'“”„‘’«»]$|^<[^<>]+>$/u
const formula = /^[=＝]|^[+＋](?![\p{Nd}\s(])|^[@＠][A-Z.]+\(/iu

/** `text` has no blanks at its ends. */
export function readRecipientCell(text: string): Read<RunRecipient> {
  if (text === '') return { problem: `Nobody is named. Write ${kinds}.` }
  if (text.length > maxLength) return { problem: `The recipient is too long. Write ${kinds}.` }
  if (isErrorCell(text)) return errorCellProblem(text, 'who is paid')
  if (/^contact:/i.test(text)) return contactIn(text.slice('contact:'.length).trim())
  if (hasHidden(text)) return withSuggestion(text, 'The recipient has an invisible character.', 'Type it again.')
  if (formula.test(text)) return { problem: `${shown(text)} is a formula. Write its result.` }
  const exponent = scientific.exec(text)?.[1]
  if (exponent !== undefined) return { problem: roundedProblem(text, Number(exponent)) }
  if (inQuotes.test(text)) return withSuggestion(text, '', 'Write the recipient without quotes.')
  if (/^(?:[a-z0-9-]{1,20}:)*(?:pay-)?0x/i.test(text)) return addressIn(text)
  if (/[@＠]/.test(text)) return emailIn(text)
  return numberOrWord(text)
}

/** What the text says without what is around it, or `otherwise`. */
function withSuggestion(text: string, why: string, otherwise: string): { problem: string } {
  const bare = withoutHidden(text)
    .replace(/^["'“”„‘’«»<\s]+|["'“”„‘’«»>\s]+$/gu, '')
    .trim()
  const read = bare === text ? null : readRecipientCell(bare)
  const found = read && 'value' in read ? writtenRecipient(read.value) : null
  return found === null ? { problem: `${why}${why && ' '}${otherwise}` } : write(found, why)
}

export function writtenRecipient(to: RunRecipient): string {
  switch (to.type) {
    case 'address':
      return to.address
    case 'email':
      return to.email
    case 'phone':
      return to.phone
    case 'contact':
      return `contact:${to.name}`
  }
}

function roundedProblem(text: string, exponent: number): string {
  return exponent > 20
    ? `${shown(text)}: the spreadsheet has turned an address into a number. Format the column as text and write it again.`
    : `${shown(text)}: the spreadsheet has rounded this number. Format the column as text and write it again.`
}

function contactIn(text: string): Read<RunRecipient> {
  if (text === '') return { problem: 'Write the name of the contact after “contact:”.' }
  const broken = encodingProblem(text)
  if (broken) return { problem: broken }
  const read = readText(contactName, text)
  return 'problem' in read ? { problem: sentence(read.problem) } : { value: { type: 'contact', name: read.value } }
}

function addressIn(text: string): Read<RunRecipient> {
  if (/…|\.\.\.|\*{2}/.test(text)) return { problem: `The address is shortened. ${again}` }
  const digits = /^0x([0-9a-f]*)$/i.exec(text)?.[1]
  if (digits !== undefined && digits.length !== 40)
    return { problem: `An address has 40 digits after 0x; this one has ${digits.length}. ${again}` }
  if (digits !== undefined && text.startsWith('0x')) {
    if (addressProblem(text))
      return { problem: `The address has a wrong digit or letter: its checksum is wrong. ${again}` }
    const unspendable = unspendableProblem(text)
    return unspendable ? { problem: unspendable } : { value: { type: 'address', address: checksumAddress(text) } }
  }
  const read = readAddress(text)
  return 'value' in read ? write(checksumAddress(read.value)) : { problem: sentence(read.problem) }
}

const mailbox = /[^\s<>()[\]:;,"“”]{1,64}@[^\s<>()[\]:;,?"“”]{1,253}/gu

function emailIn(text: string): Read<RunRecipient> {
  const email = valueIn(readEmail(text))
  // Other letters than those of ASCII may become one of them, as K (Kelvin) does.
  if (email !== null && /^[!-~]+$/.test(text) && email === text.toLowerCase())
    return { value: { type: 'email', email } }
  if (email !== null) return write(email)
  const found = text.match(mailbox) ?? []
  if (found.length > 1) return { problem: 'There is more than one recipient in this cell. Write a row for each.' }
  const only = valueIn(readEmail((found[0] ?? '').replace(/^['.]+|[.,'!]+$/g, '')))
  if (only !== null) return write(only)
  return { problem: `${shown(text)} is not an email address. Correct it, for example ada@example.com.` }
}

function numberOrWord(text: string): Read<RunRecipient> {
  if (/^(?:tel:|[([]|00|[+＋﹢])/i.test(text)) return phoneIn(text)
  if (/…|\.\.\./.test(text)) return { problem: `The recipient is shortened. ${again}` }
  const digits = text.replace(/[\s()-]/g, '')
  if (/^\d+$/.test(digits) && digits.length >= 6) return { problem: lostPlusProblem(digits) }
  if (/^[0-9a-f]{40}$/i.test(text)) return addressProblem(`0x${text}`) ? { problem: again } : write(`0x${text}`)
  if (/^[\p{L}\p{N}-]{1,60}\.eth$/iu.test(text))
    return { problem: `Names such as ${shown(text)} are not looked up. Write the address.` }
  if (/^\p{Nd}/u.test(text) && /^[\p{Nd}\s()+.-]+$/u.test(text)) return phoneIn(text)
  return { problem: `${shown(text)} is not a recipient. Write ${kinds}.` }
}

/** Ten digits or fewer rarely have their country code, and then a + would make them another person's. */
function lostPlusProblem(digits: string): string {
  const phone = digits.length > 10 ? valueIn(readPhone(`+${digits}`)) : null
  return phone !== null && phone === `+${digits}`
    ? `The + is missing. If ${callingCode(phone).slice(1)} is the country code, write ${phone}.`
    : 'Write a phone number with + and its country code, for example +14155550123.'
}

function phoneIn(text: string): Read<RunRecipient> {
  const read = readPhone(text)
  if ('problem' in read) return { problem: sentence(read.problem) }
  return read.value === text ? { value: { type: 'phone', phone: text } } : write(read.value)
}

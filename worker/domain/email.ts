import { emailFormatProblem, emailMax, emailText } from './emailFormat.ts'
import { problemIn, type Read, valueIn } from './readers/read.ts'

/**
 * The rule for email addresses, wherever one is entered: ASCII before the @, so that two addresses that look the same are
 * the same, and a domain name after it, which is stored and shown in punycode. Record 074.
 */

const localMax = 64 // RFC 5321
const letter = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
const local = `${letter}(\\.?${letter}){0,${localMax - 1}}`
const rest = '([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const domain = `([A-Za-z0-9]${rest}\\.)+[A-Za-z]${rest}` // A last label of digits would be an IP address.
/** The stored form, for callers of the API. */
export const emailPattern = `^${local}@${domain}$`

const isLocal = new RegExp(`^${local}$`)
const isDomain = new RegExp(`^${domain}$`)
const localText = `${emailText}: before the @, use at most ${localMax} of a–z, 0–9, single dots and symbols such as + - _`
const domainText = `${emailText}: after the @, enter a domain such as example.com`

/** The address in the form in which it is stored, compared and shown, or why it is not one. */
export function readEmail(text: string): Read<string> {
  const problem = emailFormatProblem(text)
  if (problem) return { problem }
  const [name = '', host = ''] = text.trim().split('@')
  if (name.length > localMax || !isLocal.test(name)) return { problem: localText }
  const ascii = asciiDomain(host)
  const value = `${name}@${ascii}`.toLowerCase()
  return ascii === null || value.length > emailMax ? { problem: domainText } : { value }
}

/** Null if the text is not an email address. */
export const storedEmail = (text: string): string | null => valueIn(readEmail(text))

/** The problem with an email address, or null. */
export const emailProblem = (text: string): string | null => problemIn(readEmail(text))

/** A domain name of at least two labels in lower case and punycode (UTS #46), or null if the text is not one. */
export function asciiDomain(text: string): string | null {
  // Only letters, digits, hyphens and dots: URLs have ports and paths, and drop invisible characters.
  if (text.length > 253 || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null
  const host = hostOf(`http://${text}`)
  return host.length <= 253 && isDomain.test(host) ? host : null
}

/** Empty if the URL is not valid. (`URL.parse` is too new for browsers that we support.) */
function hostOf(url: string): string {
  try {
    return new URL(url).hostname
  } catch {
    return ''
  }
}

/**
 * The mailbox of an address, for limits on messages: addresses that differ in their `+` tag share it and, at Gmail,
 * those that differ in their dots.
 */
export function mailboxOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const name = local.replace(/\+.*/, '')
  return domain === 'gmail.com' || domain === 'googlemail.com'
    ? `${name.replaceAll('.', '')}@gmail.com`
    : `${name}@${domain}`
}

/** 'ada@example.com' → 'a***@example.com' */
export const maskedEmail = (email: string): string => email.replace(/^(.).*@/, '$1***@')

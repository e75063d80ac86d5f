import { parseJsonObject } from '../json.ts'

/** What a seller asks for, as x402 defines it: https://github.com/coinbase/x402 specs/x402-specification-v2.md §5.1. */

export type Json = Record<string, unknown>

/**
 * `accepts` has the seller's offers as they came, because the payment repeats the chosen one word for word. So it repeats
 * `resource` and `extensions`, if the seller sent them.
 */
export type PaymentRequired = { accepts: Json[]; resource?: Json; extensions?: Json }

/** The input at fault, and what is wrong with it. */
export type ChallengeProblem = { field: string; message: string }
type Parsed = { ok: true; value: PaymentRequired } | { ok: false; problem: ChallengeProblem }

export const maxOffers = 100
/** Of the JSON text, in bytes: a hundred offers of more than 1 kB. A payload repeats at most 8 kB of it. */
export const maxChallengeBytes = 131_072 // 128 kB
/** In base64, as a header has it. */
export const maxHeaderLength = Math.ceil(maxChallengeBytes / 3) * 4
/** More than three times as deep as x402's own fields. */
const maxDepth = 16
export const challengeTooLarge = `payment_required must be the seller’s object or its base64 form: at most 128 kB and ${maxDepth} levels of JSON`

const wrong = (field: string, message: string): Parsed => ({ ok: false, problem: { field, message } })

/**
 * `input` is the seller's object, that object as JSON text, as models send it, or the value of the header PAYMENT-REQUIRED: the
 * text in base64. Callers bound the size of an object by that of the text it was parsed from.
 */
export function parsePaymentRequired(input: unknown): Parsed {
  const field = 'payment_required'
  const challenge = typeof input === 'string' ? challengeIn(input) : isObject(input) ? input : null
  if (challenge === null || !isShallow(challenge)) return wrong(field, challengeTooLarge)
  const { x402Version, accepts, resource, extensions } = challenge
  if (x402Version !== 2) return wrong(`${field}.x402Version`, 'x402Version must be 2')
  if (!Array.isArray(accepts) || accepts.length === 0)
    return wrong(`${field}.accepts`, 'accepts must have at least one offer')
  if (accepts.length > maxOffers) return wrong(`${field}.accepts`, `accepts must have at most ${maxOffers} offers`)
  const position = accepts.findIndex((offer) => !isObject(offer))
  if (position !== -1) return wrong(`${field}.accepts.${position}`, 'Each offer must be an object')
  if (resource !== undefined && !isObject(resource)) return wrong(`${field}.resource`, 'resource must be an object')
  if (extensions !== undefined && !isObject(extensions))
    return wrong(`${field}.extensions`, 'extensions must be an object')
  return { ok: true, value: { accepts, ...(resource && { resource }), ...(extensions && { extensions }) } }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const challengeIn = (text: string): Json | null =>
  /^\s*\{/.test(text) ? (text.length <= maxChallengeBytes ? parseJsonObject(text) : null) : decodeHeader(text.trim())

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Null unless it is base64, with or without padding, of a JSON object in UTF-8. Longer text is not decoded. */
function decodeHeader(text: string): Json | null {
  if (text.length > maxHeaderLength) return null
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  try {
    return parseJsonObject(utf8.decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0))))
  } catch {
    return null
  }
}

/** Deeper values cannot be passed to an object. */
export const isShallow = (value: unknown, depth = maxDepth): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1)))

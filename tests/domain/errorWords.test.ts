import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ErrorCode, statusOf } from '../../worker/errors.ts'

/**
 * The browser signs out on a 401 or 403 whose text has one of these words, so session errors must contain one and other
 * errors must not. Checked here for every text in the source; tests/worker/apiClient.ts checks every reply to a test.
 */
const signsOut = /token|authentication|unauthorized|expired/i

const root = join(import.meta.dirname, '../../worker')
const watched = (Object.keys(statusOf) as ErrorCode[]).filter((code) => [401, 403].includes(statusOf[code]))

/** Errors that only agents receive; no browser reads them. */
const toAgents = [
  'Send an access token or an API key in the Authorization header.',
  'This API key is unknown or no longer valid.',
  'This credential is no longer valid.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is in the source
  'This call needs the scope ${scope}, which this access token does not have.',
]

type Found = { file: string; code: string; texts: string[]; hasField: boolean }

const found: Found[] = readdirSync(root, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => errorsIn(file, readFileSync(join(root, file), 'utf8')))

/** Mentions of a watched code, each with the texts in the rest of its call or object. */
function errorsIn(file: string, source: string): Found[] {
  const mention = new RegExp(`(?<=[(\\s])'(${watched.join('|')})'(?=[,)\\s])`, 'g')
  return [...source.matchAll(mention)].flatMap((match) => {
    const rest = untilClosed(source.slice(match.index + match[0].length))
    const texts = [...rest.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g)]
      .map(([, single, template, double]) => single ?? template ?? double ?? '')
      .filter((text) => /^[A-Z$].*\s/s.test(text))
    return texts.length ? [{ file, code: match[1]!, texts, hasField: /\bfield:/.test(rest) }] : []
  })
}

/** The start of the text, up to the bracket that closes the call or object around it. */
function untilClosed(text: string): string {
  let depth = 0
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (quote) {
      if (letter === '\\') at++
      else if (letter === quote) quote = ''
    } else if (`'"\``.includes(letter)) quote = letter
    else if ('([{'.includes(letter)) depth++
    else if (')]}'.includes(letter) && --depth < 0) return text.slice(0, at)
    else if (letter === '\n' && depth === 0 && text[at + 1] === '\n') return text.slice(0, at)
  }
  return text
}

test('the collector finds the known texts and every watched code @errors-1', () => {
  const texts = found.flatMap((error) => error.texts)
  for (const known of [
    'Authentication required. Please sign in.',
    'Login failed. Please check your credentials.',
    'This agent is paused.',
    'The X-User-ID header does not match the signed-in user.',
  ])
    expect(texts).toContain(known)
  const mentions = found.map(({ code }) => code)
  for (const code of watched) expect(mentions, `no text of ${code} found`).toContain(code)
})

test.each(found.map((error) => ({ ...error, name: `${error.file}: ${error.code}: ${error.texts[0]}` })))(
  'only session errors use sign-out words: $name @errors-2',
  ({ code, texts, hasField }) => {
    if (texts.some((text) => toAgents.includes(text))) return
    const isSession = code === 'unauthenticated' && !hasField
    if (isSession) expect(texts.join(' ')).toMatch(signsOut)
    else for (const text of texts) expect(text).not.toMatch(signsOut)
  },
)

import { expect, test } from 'vitest'
import { contactProblems } from '#domain/contactRules.ts'
import { noteProblem } from '#domain/paymentNotes.ts'
import { hiddenProblem } from '#domain/plainText.ts'
import { walletNameProblem } from '#domain/walletRules.ts'

const visible = [
  'Zoë 🦉',
  'Ada Lovelace–Byron, Jr. (née “Byron”)',
  '👩‍🚀 👨‍👩‍👧‍👦 🧑🏽‍🤝‍🧑🏿',
  '👁️‍🗨️ 🏳️‍🌈 🏴‍☠️ 🐦‍⬛ ❤️‍🔥',
  '❤️ ☎︎ ©️ 1️⃣ #️⃣ 🇦🇹 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👍🏿',
  'می‌خواهم', // Persian, with a non-joiner
  'ශ්‍රී ලංකා', // Sinhala, with a joiner
  'क्‍ष ক্‌ষ র‍্যাচেল', // Devanagari and Bengali
  'שלום عليكم 你好 こんにちは 안녕 สวัสดี Привет',
  'e\u0301 a\u0308',
]
const hidden: [string, string][] = [
  ['a null character', 'a\0b'],
  ['an escape', 'a\u001b[2Jb'],
  ['a C1 control character', 'a\u0085b'],
  ['a soft hyphen', 'ac\u00adme'],
  ['a zero-width space', 'ac\u200bme'],
  ['a joiner between letters', 'ac\u200dme'],
  ['a non-joiner between letters', 'ac\u200cme'],
  ['a joiner between digits', '1\u200d2'],
  ['a joiner after an emoji', '🦉\u200dx'],
  ['two joiners in an emoji', '👩\u200d\u200d🚀'],
  ['a mark from left to right', 'a\u200eb'],
  ['a mark from right to left', 'a\u200fb'],
  ['an Arabic letter mark', 'a\u061cb'],
  ['an override from right to left', '\u202emoc.emca'],
  ['an embedding', 'a\u202ab\u202c'],
  ['an isolate', 'a\u2066b\u2069'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['a word joiner', 'a\u2060b'],
  ['a byte order mark', 'a\ufeffb'],
  ['an annotation', 'a\ufff9b\ufffb'],
  ['a Hangul filler', 'a\u3164b'],
  ['a half-width Hangul filler', 'a\uffa0b'],
  ['a Braille blank', 'a\u2800b'],
  ['a combining grapheme joiner', 'a\u034fb'],
  ['a Mongolian vowel separator', 'a\u180eb'],
  ['a variation selector after a letter', 'a\ufe0fb'],
  ['a variation selector after a digit', '1\ufe0f2'],
  ['a second variation selector', '❤\ufe0f\ufe0f'],
  ['bytes hidden in variation selectors', '🦉\u{e0100}\u{e0141}'],
  ['tag characters', 'Ada\u{e0050}\u{e0061}\u{e0079}'],
  ['tag characters without an end', '🏴\u{e0067}\u{e0062}'],
  ['a long text in tag characters', `🏴${'\u{e0061}'.repeat(20)}\u{e007f}`],
  ['half of a surrogate pair', 'a\ud83db'],
  ['halves around an emoji', '\ud83d🦉\ude00'],
]

test.each(visible)('%j may be a name, memo or reference @texts-2', (text) => {
  expect(hiddenProblem('Name', text)).toBeNull()
  expect(noteProblem('reference', text)).toBeNull()
})

test.each(hidden)('a text with %s is refused @texts-1', (_, text) => {
  expect(hiddenProblem('Name', text)).toBe('Name must not contain control or invisible characters')
  expect(noteProblem('memo', text)).toBe('Memo must not contain control or invisible characters')
  expect(noteProblem('reference', text)).toBe('Reference must not contain control or invisible characters')
  expect(walletNameProblem(text)).toBe('Name must not contain control or invisible characters')
  const values = { name: text, address: '', email: 'a@example.com', phone: '', description: text }
  expect(contactProblems(values)).toMatchObject({
    name: 'Name must not contain control or invisible characters',
    description: 'Description must not contain control or invisible characters',
  })
})

test('only texts of several lines may have line breaks and tabs', () => {
  for (const text of ['two\nlines', 'two\r\nlines', 'a\ttab']) {
    expect(hiddenProblem('Name', text)).not.toBeNull()
    expect(noteProblem('reference', text)).not.toBeNull()
    expect(noteProblem('memo', text)).toBeNull()
    expect(hiddenProblem('Reason', text, 'lines')).toBeNull()
  }
})

test('a long text is judged within 100 ms of CPU time', () => {
  for (const part of ['👩\u200d', '\u094d\u200c', 'م\u200c', '🏴\u{e0061}', '1\ufe0f', '❤\ufe0f', 'a']) {
    const before = process.threadCpuUsage()
    hiddenProblem('Name', part.repeat(50_000))
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000, part).toBeLessThan(100)
  }
})

import { expect, test } from 'vitest'
import { contactName, contactProblems } from '#domain/contactRules.ts'
import { noteRule } from '#domain/paymentNotes.ts'
import { problemIn } from '#domain/readers/read.ts'
import { cleanText, lengthOf, readText, searchTextOf } from '#domain/readers/text.ts'
import { shownText } from '#schemas/common.ts'
import { leastCpuMs } from '../../support/leastCpu.ts'

const name = { label: 'Name', max: 100 }
const lines = { label: 'Memo', max: 100, lines: true }

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
  '葛󠄀西 辻󠄁', // spellings of surnames
  'ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡᠨ᠎ᠦ', // Mongolian
]
const hidden: [string, string][] = [
  ['a null character', 'a\0b'],
  ['an escape', 'a\u001b[2Jb'],
  ['a C1 control character', 'a\u0085b'],
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
  for (const rule of [name, lines, noteRule('reference')]) expect(readText(rule, text)).toEqual({ value: text })
})

test.each(hidden)('a text with %s is refused @texts-1', (_, text) => {
  const problem = (label: string) => `${label} must not contain control or invisible characters`
  expect(problemIn(readText(name, text))).toBe(problem('Name'))
  expect(problemIn(readText(noteRule('memo'), text))).toBe(problem('Memo'))
  expect(problemIn(readText(noteRule('reference'), text))).toBe(problem('Reference'))
  const values = { name: text, address: '', email: 'a@example.com', phone: '', description: text }
  expect(contactProblems(values)).toMatchObject({ name: problem('Name'), description: problem('Description') })
  expect(shownText(name).safeParse(text).error?.issues[0]?.message).toBe(problem('Name'))
})

test.each([
  ['Khmer with zero-width spaces', 'សុខ\u200bដារ៉ា\u200b', 'សុខដារ៉ា'],
  ['Lao', 'ສົມ\u200bສັກ', 'ສົມສັກ'],
  ['Thai', 'สม\u200bชาย \u200bใจดี', 'สมชาย ใจดี'],
  ['Hebrew with marks', '\u200fדוד\u200f (IL)\u200e', 'דוד (IL)'],
  ['Arabic with a mark', 'محمد\u061c 7', 'محمد 7'],
  ['Persian with a loose non-joiner', 'می\u200cخواهم\u200c', 'می\u200cخواهم'],
  ['a soft hyphen from a web page', 'Donau\u00addampf\u00adschiff', 'Donaudampfschiff'],
  ['decomposed letters', 'Jose\u0301 Nun\u0303ez', 'José Núñez'.replace('ú', 'u')],
  ['decomposed Hangul', '\u1112\u1161\u11ab', '한'],
  ['a byte order mark', '\ufeffAda ', 'Ada'],
])('%s is cleaned, and stays as it is from then on @texts-4', (_, text, clean) => {
  expect(readText(name, text)).toEqual({ value: clean })
  expect(cleanText(clean)).toBe(clean)
  expect(shownText(name).parse(text)).toBe(clean)
})

test('form, API and published schema count the same characters @texts-5', () => {
  const emoji = '🦉'.repeat(contactName.max)
  const accents = 'e\u0301'.repeat(contactName.max)
  for (const fits of [emoji, accents, 'x'.repeat(contactName.max)]) {
    expect(problemIn(readText(contactName, fits))).toBeNull()
    expect(shownText(contactName).safeParse(fits).success).toBe(true)
    const tooLong = `${fits}🦉`
    expect(problemIn(readText(contactName, tooLong))).toBe('Name must be at most 100 characters')
    expect(shownText(contactName).safeParse(tooLong).error?.issues[0]?.message).toBe(
      'Name must be at most 100 characters',
    )
  }
  expect(lengthOf('👩‍🚀é')).toBe(4)
})

test('a search finds a text without its accents, case and invisible characters @texts-6', () => {
  const found = (text: string, search: string) => searchTextOf(text).includes(searchTextOf(search))
  expect(found('José Núñez', 'jose nunez')).toBe(true)
  expect(found('José', 'jose\u0301')).toBe(true)
  expect(found('葛󠄀西', '葛西')).toBe(true)
  expect(found('می‌خواهم', 'میخواهم')).toBe(true)
  expect(found('ЗОЯ Йорк', 'зоя')).toBe(true)
  expect(found('José', 'joan')).toBe(false)
  expect(searchTextOf('한글', null, 'Ж')).toBe('한글\nж')
})

test('only texts of several lines may have line breaks and tabs', () => {
  for (const text of ['two\nlines', 'two\r\nlines', 'a\ttab']) {
    expect(problemIn(readText(name, text))).not.toBeNull()
    expect(problemIn(readText(noteRule('reference'), text))).not.toBeNull()
    expect(problemIn(readText(lines, text))).toBeNull()
  }
})

test('a long text is judged within 100 ms of CPU time', () => {
  const parts = [
    '👩\u200d',
    '\u094d\u200c',
    'م\u200c',
    '🏴\u{e0061}',
    '1\ufe0f',
    '❤\ufe0f',
    'a',
    '\u200b',
    'ខ\u200b',
    'a\u00ad',
    '\u200f',
  ]
  for (const part of parts) {
    const text = part.repeat(50_000)
    expect(
      leastCpuMs(() => readText({ ...name, max: 1_000_000 }, text)),
      part,
    ).toBeLessThan(100)
  }
})

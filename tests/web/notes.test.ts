import { expect, test } from 'vitest'
import { eachNote, noteNames } from '#domain/paymentNotes.ts'
import { notesLine } from '#web/components/Notes.tsx'

test('a list shows the notes of a payment, and none of its other fields', () => {
  const row = { id: 'pay_1', amount: '5', ...eachNote(() => null) }
  expect(notesLine(row)).toBeNull()
  expect(notesLine({ ...row, memo: 'Rent' })).toBe('Rent')
  const line = notesLine({ ...row, ...eachNote((name) => name) })!
  expect(line.split(' · ').sort()).toEqual([...noteNames].sort())
})

import type { TextRule } from './readers/text.ts'

/**
 * Texts that describe a payment and decide nothing. A note is defined here; its column in `payment`, requests, replies, lists,
 * exports and events take it from this list.
 */
export const paymentNotes = {
  memo: {
    label: 'Memo',
    max: 100,
    oneLine: false,
    isFilter: false,
    about: 'A note for the owner’s records.',
    example: 'Hosting in October',
  },
  reference: {
    label: 'Reference',
    max: 64,
    oneLine: true,
    isFilter: true,
    about: 'An invoice or order number. Lists can be filtered by it.',
    example: 'INV-1142',
  },
} as const satisfies Record<string, NoteRule>

/**
 * `oneLine`: without line breaks and tabs.
 * `isFilter`: lists can be filtered by the whole text.
 */
type NoteRule = { label: string; max: number; oneLine: boolean; isFilter: boolean; about: string; example: string }

export type NoteName = keyof typeof paymentNotes
export const noteNames = Object.keys(paymentNotes) as NoteName[]
/** The notes of one payment. Null: none. */
export type PaymentNotes = Record<NoteName, string | null>

type Notes = typeof paymentNotes
/** The notes that lists can be filtered by. */
export type FilterName = { [Name in NoteName]: Notes[Name]['isFilter'] extends true ? Name : never }[NoteName]
export const filterNames = noteNames.filter((name): name is FilterName => paymentNotes[name].isFilter)
/** Filters a list to payments with exactly these notes. A missing filter matches any. */
export type NoteFilters = { [Name in FilterName]?: string | undefined }

/** An object with the value that `read` returns for each note that is a filter. */
export const eachFilter = <T>(read: (name: FilterName) => T): Record<FilterName, T> =>
  Object.fromEntries(filterNames.map((name) => [name, read(name)])) as Record<FilterName, T>

/** An object with the value that `read` returns for each note. */
export const eachNote = <T>(read: (name: NoteName) => T): Record<NoteName, T> =>
  Object.fromEntries(noteNames.map((name) => [name, read(name)])) as Record<NoteName, T>

/** The notes among an object's fields. */
export const notesOf = (payment: PaymentNotes): PaymentNotes => eachNote((name) => payment[name])

export function noteRule(name: NoteName): TextRule {
  const { label, max, oneLine } = paymentNotes[name]
  return { label, max, lines: !oneLine }
}

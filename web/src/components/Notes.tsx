import { noteNames, type PaymentNotes, paymentNotes } from '#domain/paymentNotes.ts'
import { Fact } from './Card.tsx'

/** The payment's notes, one fact each. */
export const NoteFacts = ({ of }: { of: PaymentNotes }) =>
  noteNames.map(
    (name) =>
      of[name] && (
        <Fact key={name} name={paymentNotes[name].label}>
          {of[name]}
        </Fact>
      ),
  )

/** All notes in one line of a list, the shortest kind first; null if there are none. */
export const notesLine = (of: PaymentNotes): string | null =>
  [...noteNames]
    .sort((a, b) => paymentNotes[a].max - paymentNotes[b].max)
    .flatMap((name) => of[name] || [])
    .join(' · ') || null

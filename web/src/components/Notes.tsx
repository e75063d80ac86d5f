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

/** All notes in one line of a list; null if there are none. The reference comes first, because it is shorter. */
export const notesLine = ({ reference, ...others }: PaymentNotes): string | null =>
  [reference, ...Object.values(others)].filter(Boolean).join(' · ') || null

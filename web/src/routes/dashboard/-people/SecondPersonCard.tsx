import { capitalized } from '#domain/capitalized.ts'
import { secondPersonText } from '#domain/secondPerson.ts'
import { Button } from '#web/components/Button.tsx'
import { TitledCard } from '#web/components/Card.tsx'
import { May } from '#web/components/May.tsx'
import { formatMoment } from '#web/lib/format.ts'
import type { SecondPerson } from '#web/queries/people.ts'

/** Above how much a second person must agree, and what is above that rule. */
export function SecondPersonCard({ secondPerson, onChange }: { secondPerson: SecondPerson; onChange: () => void }) {
  const { above, next } = secondPerson
  return (
    <TitledCard id="second-person" title="A second person">
      <p className="font-medium">{capitalized(secondPersonText(above))}.</p>
      {next && (
        <p>
          From {formatMoment(next.at)}, {secondPersonText(next.above)}.
        </p>
      )}
      <p className="mt-2 text-pretty text-muted">
        {above === null
          ? 'With a limit, what agents ask for above it waits for an approver, and you can’t pay above it alone.'
          : 'Agents count as the owner. What they ask for above the limit waits for an approver. An approver can also confirm the rules of a policy group; what those allow then has a second person behind it.'}{' '}
        Whoever has a wallet’s owner key can move its money on chain without Bursar.
      </p>
      <May call="people.chooseSecondPerson">
        <Button look="secondary" className="mt-4" onClick={onChange}>
          {above === null ? 'Set a Limit' : 'Change Limit'}
        </Button>
      </May>
    </TitledCard>
  )
}

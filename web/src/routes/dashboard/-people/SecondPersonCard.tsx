import { capitalized } from '#domain/capitalized.ts'
import { secondPersonText } from '#domain/secondPerson.ts'
import { Button } from '#web/components/Button.tsx'
import { TitledCard } from '#web/components/Card.tsx'
import { May } from '#web/components/May.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { formatMoment } from '#web/lib/format.ts'
import type { SecondPerson } from '#web/queries/people.ts'

/** Above how much a second person must agree, and what is above that rule. `hasApprover`: there is somebody who could. */
export function SecondPersonCard(props: { secondPerson: SecondPerson; hasApprover: boolean; onChange: () => void }) {
  const { above, next } = props.secondPerson
  return (
    <TitledCard id="second-person" title="A second person">
      <p className="font-medium">{capitalized(secondPersonText(above))}.</p>
      {next && (
        <p>
          From {formatMoment(next.at)}, {secondPersonText(next.above)}.
        </p>
      )}
      {above !== null && !props.hasApprover && (
        <Notice tone="warning" className="mt-3">
          Nobody can agree now. What is above the limit waits until somebody has been an approver for 24 hours.
        </Notice>
      )}
      <p className="mt-2 text-muted">
        {above === null
          ? 'With a limit, what agents ask for above it waits for an approver, and you can’t pay above it alone.'
          : 'Agents count as the owner. What they ask for above the limit waits for an approver. An approver can also confirm the rules of a policy group; what those allow then has a second person behind it.'}{' '}
        Whoever has a wallet’s owner key can move its money on chain without Bursar.
      </p>
      <May call="people.chooseSecondPerson">
        <Button look="secondary" className="mt-4" onClick={props.onChange}>
          {above === null ? 'Set a limit' : 'Change limit'}
        </Button>
      </May>
    </TitledCard>
  )
}

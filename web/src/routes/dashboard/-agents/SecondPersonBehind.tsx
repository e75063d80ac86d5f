import { useMutation, useQuery } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { secondPersonText } from '#domain/secondPerson.ts'
import { Button } from '#web/components/Button.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { useNow } from '#web/components/Time.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { formatMoment } from '#web/lib/format.ts'
import { confirmRules, type PolicyGroup } from '#web/queries/agents.ts'
import { peopleQuery, useRole } from '#web/queries/people.ts'

/**
 * Lets an approver confirm the rules of the group, so that a second person is behind what they allow. Shown only to those who may,
 * while the account has a limit.
 */
export function SecondPersonBehind({ group }: { group: PolicyGroup }) {
  const role = useRole()
  const people = useQuery({ ...peopleQuery, enabled: false }).data
  const above = people?.secondPerson.above ?? null
  const decidesFrom = people?.members.find(({ isYou }) => isYou)?.decidesFrom ?? null
  const now = useNow()
  const isEarly = decidesFrom !== null && Date.parse(decidesFrom) > now
  const confirm = useMutation({
    mutationFn: () => confirmRules(group.id, group.version),
    onSuccess: () => toast.success('The rules are confirmed.'),
    onError: (error) => toast.error(messageOf(error, 'The rules could not be confirmed. Please try again.')),
  })
  if (role !== 'approver' || above === null) return null
  if (group.isConfirmed)
    return (
      <p className="mb-5 text-muted text-small">
        These rules are confirmed by an approver: what they allow needs no second person, until they change.
      </p>
    )
  return (
    <Notice tone="warning" className="mb-5">
      <p>
        In this account, {secondPersonText(above)}. If you agree to all limits of this group, confirm them: payments
        within them are then made at once.
        {isEarly && <span> You can do so from {formatMoment(decidesFrom)}.</span>}
      </p>
      {!isEarly && (
        <Button look="secondary" className="mt-2" busy={confirm.isPending} onClick={() => confirm.mutate()}>
          Confirm these rules
        </Button>
      )}
    </Notice>
  )
}

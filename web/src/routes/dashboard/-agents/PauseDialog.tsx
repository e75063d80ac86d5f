import { toast } from 'react-hot-toast/headless'
import { StopDialog } from '#web/components/HandedOut.tsx'
import { plural } from '#web/lib/format.ts'
import { type PauseSubject, setPaused } from '#web/queries/agents.ts'
import type { HandedOut } from '#web/queries/handedOut.ts'
import { useMay } from '#web/queries/people.ts'
import { sentence } from './pausing.tsx'

/** What pausing stops. */
const effects: Record<PauseSubject['kind'], string> = {
  agent: 'Its next call is refused.',
  group: 'The next call of every agent of this group is refused.',
  wallet: 'No payments leave this wallet, neither your agents’ nor yours.',
  account: 'The next call of every agent is refused. You can still make payments yourself.',
}

const isOf = ({ kind, id }: PauseSubject, { agentId, policyGroupId, walletId }: HandedOut): boolean =>
  ({ agent: agentId === id, group: policyGroupId === id, wallet: walletId === id, account: true })[kind]

export default function PauseDialog(props: { subject: PauseSubject; onClose: () => void }) {
  const { subject } = props
  const mayResume = useMay('policies.resume')
  return (
    <StopDialog
      endsFor={(purchases) => isOf(subject, purchases)}
      title={`Pause ${subject.name}`}
      confirm={['Pause', 'Pausing...']}
      fallback={`Failed to pause ${subject.name}. Please try again.`}
      act={async () => {
        const { stoppedPayments } = await setPaused(subject, true)
        const stopped = stoppedPayments > 0 ? ` ${plural(stoppedPayments, 'queued payment')} stopped.` : ''
        toast.success(`${sentence(subject.name)} ${subject.kind === 'account' ? 'are' : 'is'} paused.${stopped}`)
      }}
      onClose={props.onClose}
    >
      <p>
        {effects[subject.kind]} Queued payments that are not signed yet fail; signed ones still go through.{' '}
        {mayResume ? 'You can' : 'The owner can'} resume at any time.
      </p>
    </StopDialog>
  )
}

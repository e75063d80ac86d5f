import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from 'react-hot-toast/headless'
import type { User } from '#schemas/account.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { actingFor, type OtherAccount } from '#web/lib/actingFor.ts'
import { accountLabel, openAccount } from '#web/lib/otherAccount.ts'
import { isSessionInMemory } from '#web/lib/tokens.ts'
import { accountsQuery } from '#web/queries/people.ts'

type Props = { user: User; linkedId: string; onStay: () => void }

/** In place of a page whose link is about another account than the one on screen: asks before that account opens. */
export default function LinkedAccount({ user, linkedId, onStay }: Props) {
  const isOwn = linkedId === user.id
  const { data, error, refetch } = useQuery({ ...accountsQuery, enabled: !isOwn })
  const linked = data?.find(({ id }) => id === linkedId)
  if (isOwn) return <Question account={null} onStay={onStay} />
  if (linked && !isSessionInMemory()) return <Question account={linked} onStay={onStay} />
  if (data) return <Unknown onStay={onStay} />
  if (error) return <ErrorState error={error} onRetry={refetch} />
  return <SkeletonRows rows={5} />
}

function Question({ account, onStay }: { account: OtherAccount | null; onStay: () => void }) {
  const now = actingFor()
  const name = account ? accountLabel(account) : 'your own account'
  const open = () => {
    const url = new URL(location.href)
    url.searchParams.delete('account')
    openAccount(account, url.pathname + url.search + url.hash)
  }
  return (
    <Dialog
      title={`Open in ${name}?`}
      description={`This link is about ${account ? `${name} (${account.ownerEmail})` : name}. You are in ${now ? accountLabel(now) : 'your own account'} now.`}
      onClose={onStay}
      footer={
        <Button data-first onClick={open}>
          Open in {name}
        </Button>
      }
    >
      {null}
    </Dialog>
  )
}

/** The person was removed, or the link is somebody else's. */
function Unknown({ onStay }: { onStay: () => void }) {
  useEffect(() => {
    toast.error('This link is about an account that you can’t open.', { id: 'linked-account' })
    onStay()
  }, [onStay])
  return null
}

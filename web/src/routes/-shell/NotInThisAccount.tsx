import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { EmptyState } from '#web/components/states.tsx'
import { actingFor } from '#web/lib/actingFor.ts'
import { accountLabel, openAccount } from '#web/lib/otherAccount.ts'
import { useTitle } from '#web/lib/useTitle.ts'

/** In place of a page that a member's role does not include: apps connect, and webhooks send, for the owner. */
export default function NotInThisAccount() {
  const account = actingFor()
  useTitle('Not in this account')
  return (
    <Card>
      <EmptyState
        title={`This page is for the owner${account ? ` of ${accountLabel(account)}` : ''}`}
        action={
          <Button onClick={() => openAccount(null, location.pathname + location.search)}>
            Open it in your own account
          </Button>
        }
      >
        Your role does not include it. Your own account has the same page.
      </EmptyState>
    </Card>
  )
}

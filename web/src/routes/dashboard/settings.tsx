import { createFileRoute, Link } from '@tanstack/react-router'
import { Button } from '#web/components/Button.tsx'
import { Fact, PageHeader, TitledCard } from '#web/components/Card.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { formatLongDate } from '#web/lib/format.ts'
import { flagsOf } from '#web/lib/search.ts'
import { useSession } from '#web/lib/session.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { other } from '../-shell/pages.ts'
import { GrantsCard, PasswordAboveCard } from './-settings/ApprovalCards.tsx'
import { ChangePasswordDialog } from './-settings/ChangePasswordDialog.tsx'
import { ConnectedWallet } from './-settings/ConnectedWallet.tsx'
import { NameFact } from './-settings/NameFact.tsx'
import { PushCard } from './-settings/PushCard.tsx'

type Search = { 'change-password'?: true }

export const Route = createFileRoute('/dashboard/settings')({
  validateSearch: (search: Record<string, unknown>): Search => flagsOf(search, ['change-password']),
  component: SettingsPage,
})

function SettingsPage() {
  const { user } = useSession()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  useTitle('Account Settings')
  if (!user) return null

  return (
    <>
      <PageHeader title="Account Settings" />
      <div className="max-w-[640px] space-y-5">
        <TitledCard id="account" title="Account">
          <dl className="divide-y divide-hairline">
            <Fact name="Email">{user.email}</Fact>
            <NameFact name={user.name} />
            <Fact name="Member Since">{formatLongDate(user.createdAt)}</Fact>
          </dl>
        </TitledCard>
        <TitledCard id="security" title="Security">
          <p className="mb-4 text-muted">A new password signs you out on every other device.</p>
          <Button look="secondary" onClick={() => navigate({ search: { 'change-password': true } })}>
            Change Password
          </Button>
          <p className="mt-4 text-muted">
            See what was added or changed in your account, and end what you do not know, under{' '}
            <Link to={other('changes')} className={linkClass}>
              History of changes
            </Link>
            .
          </p>
        </TitledCard>
        <PushCard userId={user.id} />
        <May call="approvals.setSettings">
          <PasswordAboveCard />
        </May>
        <GrantsCard />
        <ConnectedWallet />
      </div>
      {search['change-password'] && (
        <ChangePasswordDialog email={user.email} onClose={() => navigate({ search: {}, replace: true })} />
      )}
    </>
  )
}

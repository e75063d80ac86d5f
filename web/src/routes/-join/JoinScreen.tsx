import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type MemberRole, roleTexts } from '#domain/roles.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Spinner } from '#web/components/Spinner.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { appName } from '#web/lib/app.ts'
import { forgetInvitation, keepInvitation, keptInvitation } from '#web/lib/invitation.ts'
import { actFor, openAccount } from '#web/lib/otherAccount.ts'
import { useSession } from '#web/lib/session.ts'
import { isSessionInMemory } from '#web/lib/tokens.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { configQuery } from '#web/queries/config.ts'
import { type Invitation, join, readInvitation } from '#web/queries/people.ts'
import { Heading, useLinkToken } from '../-account/AccountPage.tsx'
import { leave } from '../-shell/leave.ts'

/** The page that the link of an invitation opens. Only its button joins, so prefetching the link changes nothing. */
export default function JoinScreen() {
  const linkToken = useLinkToken()
  const { user, isLoading } = useSession()
  useTitle('Join an account')
  const token = linkToken ?? keptInvitation()
  useEffect(() => {
    if (linkToken) keepInvitation(linkToken)
  }, [linkToken])

  if (!token)
    return (
      <Problem title="No invitation">
        Open the link of the invitation again: it is in the email that you got from {appName}.
      </Problem>
    )
  if (!user) return <SignInFirst />
  return isLoading ? <Spinner /> : <Invited key={`${user.id} ${token}`} token={token} email={user.email} />
}

function SignInFirst() {
  const isClosed = useQuery(configQuery).data?.signUp === 'closed'
  return (
    <AccountFrame>
      <Heading title="You are invited">
        Sign in with the email address that got the invitation, to see whose account it is.
        {isClosed && <span> New accounts can’t be created here at the moment.</span>}
      </Heading>
      <div className="mt-6 space-y-3">
        <Link to="/login" search={{ redirect: '/join' }} className={buttonClass('primary', 'w-full')}>
          Sign in
        </Link>
        {!isClosed && (
          <Link to="/signup" search={{ redirect: '/join' } as never} className={buttonClass('secondary', 'w-full')}>
            Create an account
          </Link>
        )}
      </div>
    </AccountFrame>
  )
}

function Invited({ token, email }: { token: string; email: string }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data) return <Question token={token} invitation={data} email={email} />
  if (!error || isFetching) return <Spinner />
  return (
    <Problem title="You can’t join with this link" onRetry={isRefusal(error) ? undefined : refetch}>
      {messageOf(error, 'The invitation could not be loaded. Please try again.')}
    </Problem>
  )
}

const isRefusal = (error: unknown) => {
  const status = (error as { status?: number }).status ?? 0
  return status >= 400 && status < 500 && status !== 429
}

function Question({ token, invitation, email }: { token: string; invitation: Invitation; email: string }) {
  const { account, role } = invitation
  const action = useAction(() => join(token, invitation), {
    fallback: 'You could not join. Please try again.',
    leaves: true,
    onDone: () => {
      forgetInvitation()
      openAccount(account, firstPage[role])
    },
  })
  // The server masks it for everybody else.
  const isTheirs = !invitation.email.includes('***')
  if (!isTheirs)
    return (
      <AccountFrame>
        <Heading title="For another address">
          This invitation is for {invitation.email}. You are signed in as {email}.
        </Heading>
        <Button onClick={leave} className="mt-6 w-full">
          Sign in with another address
        </Button>
        <OwnAccount />
      </AccountFrame>
    )
  if (isSessionInMemory())
    return (
      <Problem title="Not in this browser">
        This browser does not let {appName} store anything, so it can’t open accounts of others. Open the invitation in
        another browser.
      </Problem>
    )
  return (
    <AccountFrame>
      <Heading title={`Join ${account.name}`}>{account.ownerEmail} invites you to their account.</Heading>
      <div className="wrap-anywhere mt-5 rounded-control bg-sunken px-4 py-3">
        <p className="font-medium">As {role}</p>
        <p className="text-muted">You can {roleTexts[role]}. Your own account stays as it is.</p>
      </div>
      {action.problem && <ErrorBox className="mt-4">{action.problem}</ErrorBox>}
      <Button busy={action.busy} onClick={() => action.start()} className="mt-5 w-full">
        {action.busy ? 'Joining...' : 'Join'}
      </Button>
      <OwnAccount />
    </AccountFrame>
  )
}

/** Where each role begins. */
const firstPage: Record<MemberRole, string> = {
  approver: '/dashboard/approvals',
  preparer: '/dashboard/contacts',
  viewer: '/dashboard/overview',
}

function Problem(props: { title: string; onRetry?: (() => unknown) | undefined; children: React.ReactNode }) {
  return (
    <AccountFrame>
      <div role="alert">
        <Heading title={props.title}>{props.children}</Heading>
      </div>
      {props.onRetry && (
        <Button onClick={() => props.onRetry?.()} className="mt-6 w-full">
          Try again
        </Button>
      )}
      <OwnAccount />
    </AccountFrame>
  )
}

/** Away from here without joining: the invitation is forgotten in this browser, and its link still works. */
const OwnAccount = () => (
  <Link
    to="/dashboard/overview"
    onClick={() => {
      forgetInvitation()
      actFor(null)
    }}
    className={buttonClass('quiet', 'mt-3 w-full')}
  >
    Open your own account
  </Link>
)

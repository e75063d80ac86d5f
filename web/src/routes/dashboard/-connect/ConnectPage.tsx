import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { CircleCheck, CircleX, Clock } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { formatMoment } from '#web/lib/format.ts'
import { textsOf } from '#web/lib/search.ts'
import { useSession } from '#web/lib/session.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { groupsQuery } from '#web/queries/agents.ts'
import { type ConnectionRequest, connectionRequestQuery, refreshAfterAllowing } from '#web/queries/connections.ts'
import { isActive, refreshWallets, type Wallet, walletsQuery } from '#web/queries/wallets.ts'
import { other } from '../../-shell/pages.ts'
import { doubtsAbout, placeOf } from './appWords.ts'
import { ConsentForm } from './ConsentForm.tsx'
import { type Answer, useDeny } from './useDeny.ts'

const DeployDialog = lazy(() => import('../-wallets/DeployDialog.tsx'))
const AddFundsDialog = lazy(() => import('../-wallets/AddFundsDialog.tsx'))

const deployingMs = 2_000 // 2 seconds

/** Asks whether an app may pay: who it is, where its access goes, and how much can leave. */
export default function ConnectPage() {
  useTitle('Connect an app')
  const { request: requestId } = textsOf(useSearch({ strict: false }) as Record<string, unknown>, ['request'])
  return (
    <div className="mx-auto max-w-[440px]">
      {requestId ? (
        <Consent key={requestId} requestId={requestId} />
      ) : (
        <Outcome icon="ended" title="No app is asking">
          To connect one, add Bursar’s URL to it: see{' '}
          <Link to={other('assistants')} className={linkClass}>
            Connect an assistant
          </Link>
          .
        </Outcome>
      )}
    </div>
  )
}

function Consent({ requestId }: { requestId: string }) {
  const request = useQuery(connectionRequestQuery(requestId))
  const wallets = useQuery({
    ...walletsQuery,
    refetchInterval: (query) =>
      query.state.data?.some(({ status }) => status === 'deploying') && !query.state.data.some(isActive)
        ? deployingMs
        : false,
  })
  const groups = useQuery(groupsQuery)
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [ended, setEnded] = useState<ApiError | null>(null)
  const [making, setMaking] = useState<Making | null>(null)

  if (answer && request.data) return <Answered answer={answer} request={request.data} />
  const problem = ended ?? request.error
  if (problem instanceof ApiError && problem.status >= 400 && problem.status < 500 && problem.status !== 429)
    return (
      <Outcome icon="ended" title="This request is no longer valid">
        {messageOf(problem)} Nothing was allowed.
      </Outcome>
    )
  const failed = [request, wallets, groups].find(({ data, error }) => error && data === undefined)
  if (failed)
    return (
      <Card>
        <ErrorState error={failed.error} onRetry={() => failed.refetch()} />
      </Card>
    )
  if (!request.data || !wallets.data || !groups.data)
    return (
      <Card>
        <SkeletonRows rows={6} />
      </Card>
    )
  return (
    <Card aria-labelledby="consent-title">
      <Asker request={request.data} />
      {wallets.data.some(isActive) && !making ? (
        <ConsentForm
          request={request.data}
          wallets={wallets.data}
          groups={groups.data}
          onAnswered={setAnswer}
          onEnded={setEnded}
        />
      ) : (
        <WalletFirst
          request={request.data}
          isDeploying={wallets.data.some(({ status }) => status === 'deploying')}
          making={making}
          onMake={setMaking}
          onAnswered={setAnswer}
          onEnded={setEnded}
        />
      )}
    </Card>
  )
}

/** Who asks and where its access goes: what was checked is large, what the app says about itself is quoted. */
function Asker({ request }: { request: ConnectionRequest }) {
  const { app, destination } = request
  const { user } = useSession()
  const doubts = doubtsAbout(app, destination, location.hostname)
  return (
    <div className="space-y-3 px-5 pt-5 pb-4">
      <h1 id="consent-title" className="font-semibold text-title">
        Let this app pay from your wallet?
      </h1>
      <div className="rounded-control bg-sunken px-4 py-3">
        <p className="text-muted text-small">{destination.type === 'device' ? 'Asked by' : 'Its access goes to'}</p>
        <p data-testid="destination" className="wrap-anywhere font-semibold text-[24px]/8">
          {placeOf(request)}
        </p>
        {app.kind !== 'command_line' && (
          <p className="wrap-anywhere mt-1">
            It calls itself <strong className="font-semibold">“{app.name}”</strong>{' '}
            {app.kind === 'registered' && (
              <Chip tone="waiting" title="Unverified name">
                Unverified app
              </Chip>
            )}
          </p>
        )}
        {app.kind === 'website' && (destination.type !== 'website' || destination.host !== app.host) && (
          <p className="wrap-anywhere text-small">This name comes from {app.host}.</p>
        )}
        {destination.type === 'device' && (
          <p className="text-small">
            {`Asked ${destination.place ? `from ${destination.place}, ` : ''}on ${formatMoment(destination.askedAt)}`}
          </p>
        )}
      </div>
      <Caution request={request} />
      {doubts.map((doubt) => (
        <Notice key={doubt} tone="danger">
          {doubt} If in doubt, deny.
        </Notice>
      ))}
      <p className="wrap-anywhere text-muted text-small">You are signed in as {user?.email}.</p>
    </div>
  )
}

function Caution({ request: { destination } }: { request: ConnectionRequest }) {
  switch (destination.type) {
    case 'device':
      return (
        <Notice tone="warning">
          Continue only if you started this on a device in front of you. If someone sent you the code, deny.
        </Notice>
      )
    case 'loopback':
    case 'private_scheme':
      return (
        <Notice tone="warning">
          Any program on this computer could use that name. Continue only if you have just started this yourself.
        </Notice>
      )
    case 'website':
      return null
  }
}

/** The dialog that makes the wallet: by a new key, by a key of the owner's choice; or the wallet that gets its first funds. */
type Making = 'new-key' | 'own-key' | Wallet

/** For an owner who has no wallet yet. The request waits. */
function WalletFirst(
  props: Parameters<typeof useDeny>[0] & {
    isDeploying: boolean
    making: Making | null
    onMake: (making: Making | null) => void
  },
) {
  const { making, onMake } = props
  const deny = useDeny(props)
  const close = () => {
    onMake(null)
    void refreshWallets()
  }
  return (
    <div className="space-y-3 border-hairline border-t px-5 py-5">
      <h2 className="font-semibold">First, a wallet</h2>
      <p>An app pays from a wallet that you own. Make one now, which takes a minute; then this page continues here.</p>
      {deny.problem && <ErrorBox>{deny.problem}</ErrorBox>}
      {props.isDeploying ? (
        <p role="status" className="text-muted">
          Your wallet is being created...
        </p>
      ) : (
        <>
          <Button className="w-full" onClick={() => onMake('new-key')}>
            Create a wallet
          </Button>
          <Button look="quiet" className="w-full" onClick={() => onMake('own-key')}>
            Choose its name or owner key
          </Button>
        </>
      )}
      <Button look="secondary" className="w-full" busy={deny.busy} onClick={() => deny.start()}>
        Deny
      </Button>
      <Suspense>
        {typeof making === 'string' && (
          <DeployDialog withNewKey={making === 'new-key'} onFund={onMake} onClose={close} />
        )}
        {making && typeof making !== 'string' && <AddFundsDialog wallet={making} onClose={close} />}
      </Suspense>
    </div>
  )
}

/** Leaves for the app, or says that the device goes on by itself. */
function Answered({ answer, request }: { answer: Answer; request: ConnectionRequest }) {
  const { kind, redirect } = answer
  useEffect(() => {
    if (redirect) location.assign(redirect)
    else void refreshAfterAllowing()
  }, [redirect])
  const isAllowed = kind === 'allowed'
  return (
    <Outcome icon={kind} title={isAllowed ? 'Allowed' : 'Denied'}>
      {isAllowed
        ? `“${request.app.name}” can pay within the budget that you set.`
        : `“${request.app.name}” can’t pay anything.`}{' '}
      {redirect ? (
        <span>
          You are being sent back to it. If nothing happens,{' '}
          <a href={redirect} className={linkClass}>
            go back yourself
          </a>
          ; afterwards you can close this page.
        </span>
      ) : (
        isAllowed && <span>Go back to your device: it continues by itself.</span>
      )}
    </Outcome>
  )
}

const outcomes = {
  allowed: { icon: CircleCheck, look: 'bg-green-tint text-green' },
  denied: { icon: CircleX, look: 'bg-sunken text-muted' },
  ended: { icon: Clock, look: 'bg-amber-tint text-amber' },
}

function Outcome(props: { icon: keyof typeof outcomes; title: string; children: ReactNode }) {
  const { icon: Icon, look } = outcomes[props.icon]
  return (
    <Card role="status" className="flex flex-col items-center px-5 py-10 text-center">
      <span className={`mb-4 inline-flex size-12 items-center justify-center rounded-full ${look}`}>
        <Icon aria-hidden="true" className="size-6" />
      </span>
      <h1 className="font-semibold text-title">{props.title}</h1>
      <p className="wrap-anywhere mt-1 text-balance text-muted">{props.children}</p>
      <Link to="/dashboard/agents" className={buttonClass('secondary', 'mt-6')}>
        Open Agents
      </Link>
    </Card>
  )
}

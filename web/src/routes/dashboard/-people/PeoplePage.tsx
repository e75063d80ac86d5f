import { useQuery } from '@tanstack/react-query'
import { LogOut, Mail, Trash2, UserRoundCog, UserRoundPlus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type Role, roleTexts } from '#domain/roles.ts'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import type { MenuItem } from '#web/components/ActionMenuPopup.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { EmptyState, Loaded, SkeletonRows } from '#web/components/states.tsx'
import { Time, useNow } from '#web/components/Time.tsx'
import { actingFor } from '#web/lib/actingFor.ts'
import { formatDate, formatMoment } from '#web/lib/format.ts'
import { useSession } from '#web/lib/session.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Member, type People, peopleQuery, useMay } from '#web/queries/people.ts'
import type { PeopleAct } from './PeopleDialogs.tsx'
import { SecondPersonCard } from './SecondPersonCard.tsx'

const PeopleDialog = lazy(() => import('./PeopleDialogs.tsx'))

/** Who acts for the account, and who is invited to. */
export default function PeoplePage() {
  const people = useQuery(peopleQuery)
  const [act, setAct] = useState<PeopleAct | null>(null)
  const mayInvite = useMay('people.invite')
  const invite = () => setAct({ type: 'invite' })
  useTitle('People')
  return (
    <>
      <PageHeader title="People">
        {mayInvite && (
          <Button onClick={invite}>
            <UserRoundPlus aria-hidden="true" className="size-4" />
            Invite
          </Button>
        )}
      </PageHeader>
      <Loaded
        query={people}
        fallback="Failed to load the people"
        inCard
        loading={<SkeletonRows rows={3} className="h-11" />}
      >
        {(data) => <Lists people={data} onAct={setAct} onInvite={mayInvite ? invite : null} />}
      </Loaded>
      <Suspense>
        {act && people.data && (
          <PeopleDialog act={act} accountName={people.data.account.name} onClose={() => setAct(null)} />
        )}
      </Suspense>
    </>
  )
}

type Acts = { onAct: (act: PeopleAct) => void }

function Lists({ people, onAct, onInvite }: Acts & { people: People; onInvite: (() => void) | null }) {
  const { account, members } = people
  const { user } = useSession()
  const isOwn = actingFor() === null
  const owner = isOwn && user ? user : { name: account.name, email: account.ownerEmail }
  const hasLimit = people.secondPerson.above !== null
  const active = members.filter(({ status }) => status === 'active')
  const invited = members.filter(({ status }) => status === 'invited')
  return (
    <div className="grid grid-cols-1 gap-5">
      <Card aria-labelledby="people">
        <h2 id="people" className="px-5 pt-5 pb-2 font-semibold">
          Who acts for this account
        </h2>
        <ul aria-labelledby="people" className="divide-y divide-hairline border-hairline border-t">
          <PersonRow {...owner} isYou={isOwn} as="owner" note={null} items={[]} />
          {active.map((member) => (
            <MemberRow key={member.id} member={member} hasLimit={hasLimit} onAct={onAct} />
          ))}
        </ul>
        {members.length === 0 && (
          <div className="border-hairline border-t">
            <EmptyState
              title="Nobody else acts for this account."
              action={
                onInvite && (
                  <Button look="secondary" onClick={onInvite}>
                    Invite somebody
                  </Button>
                )
              }
            >
              Let an accountant read it, or a colleague approve what agents ask for. Your password and keys stay yours.
            </EmptyState>
          </div>
        )}
      </Card>
      {invited.length > 0 && (
        <Card aria-labelledby="invitations">
          <h2 id="invitations" className="px-5 pt-5 pb-2 font-semibold">
            Invitations
          </h2>
          <ul aria-labelledby="invitations" className="divide-y divide-hairline border-hairline border-t">
            {invited.map((member) => (
              <InvitationRow key={member.id} member={member} onAct={onAct} />
            ))}
          </ul>
        </Card>
      )}
      {(active.length > 0 || hasLimit) && (
        <SecondPersonCard
          secondPerson={people.secondPerson}
          hasApprover={active.some(({ role }) => role === 'approver')}
          onChange={() => onAct({ type: 'secondPerson', secondPerson: people.secondPerson })}
        />
      )}
    </div>
  )
}

function MemberRow({ member, hasLimit, onAct }: Acts & { member: Member; hasLimit: boolean }) {
  const mayChange = useMay('people.changeRole')
  const mayRemove = useMay('people.remove')
  const now = useNow()
  const isEarly = member.role === 'approver' && Date.parse(member.decidesFrom ?? '') > now
  const items: MenuItem[] = []
  if (mayChange)
    items.push({ label: 'Change role', icon: UserRoundCog, onSelect: () => onAct({ type: 'change', member }) })
  if (mayRemove)
    items.push({ label: 'Remove', icon: Trash2, danger: true, onSelect: () => onAct({ type: 'remove', member }) })
  if (member.isYou)
    items.push({
      label: 'Leave this account',
      icon: LogOut,
      danger: true,
      onSelect: () => onAct({ type: 'leave', member }),
    })
  return (
    <PersonRow
      {...member}
      as={member.role}
      note={
        member.joinedAt && (
          <>
            Joined <Time iso={member.joinedAt} as="date" />
            {hasLimit && isEarly && (
              <span>{`. Decides above the limit from ${formatMoment(member.decidesFrom!)}`}</span>
            )}
          </>
        )
      }
      items={items}
    />
  )
}

function InvitationRow({ member, onAct }: Acts & { member: Member }) {
  const mayInvite = useMay('people.invite')
  const mayRemove = useMay('people.remove')
  const items: MenuItem[] = []
  if (mayInvite) items.push({ label: 'Send again', icon: Mail, onSelect: () => onAct({ type: 'invite', member }) })
  if (mayRemove)
    items.push({ label: 'Withdraw', icon: Trash2, danger: true, onSelect: () => onAct({ type: 'remove', member }) })
  const isOver = Date.parse(member.expiresAt ?? '') < Date.now()
  return (
    <PersonRow
      {...member}
      as={member.role}
      chip={<Chip tone={isOver ? 'bad' : 'waiting'}>{isOver ? 'Expired' : 'Invited'}</Chip>}
      note={member.expiresAt && `${isOver ? 'Expired' : 'Expires'} ${formatDate(member.expiresAt)}`}
      items={items}
    />
  )
}

const roleNames: Record<Role, string> = {
  owner: 'Owner',
  approver: 'Approver',
  preparer: 'Preparer',
  viewer: 'Viewer',
}
const texts: Record<Role, string> = { owner: 'do everything, and alone holds the keys', ...roleTexts }

/** One person: who, in which role, and what may be done about it. */
function PersonRow(props: {
  name: string | null
  email: string
  isYou: boolean
  as: Role
  chip?: ReactNode
  note: ReactNode
  items: MenuItem[]
}) {
  const { name, email, as: role } = props
  return (
    <li className="flex items-center gap-3 px-5 py-3">
      <div className="grid min-w-0 flex-1 gap-x-6 gap-y-1 md:grid-cols-2">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="wrap-anywhere font-medium">{name ?? email}</span>
            <span className="flex items-center gap-x-2 empty:hidden">
              {props.isYou && <span className="text-muted text-small">You</span>}
              <span className="empty:hidden">{props.chip}</span>
            </span>
          </p>
          {name !== null && <p className="wrap-anywhere text-muted text-small">{email}</p>}
          {props.note && <p className="text-muted text-small">{props.note}</p>}
        </div>
        <div className="min-w-0">
          <p>{roleNames[role]}</p>
          <p className="text-muted text-small">Can {texts[role]}.</p>
        </div>
      </div>
      {props.items.length > 0 ? (
        <ActionMenu label={`Actions for ${name ?? email}`} items={props.items} />
      ) : (
        <span className="size-8 shrink-0 max-md:hidden pointer-coarse:size-11" />
      )}
    </li>
  )
}

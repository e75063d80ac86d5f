import { type UseFormReturn, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { capitalized } from '#domain/capitalized.ts'
import { emailProblem } from '#domain/email.ts'
import { isRaised, type MemberRole, memberRoles, roleTexts } from '#domain/roles.ts'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { AmountField, FormDialog, formResolver, PasswordField, TextField } from '#web/components/forms.tsx'
import { RadioChoices } from '#web/components/RadioChoices.tsx'
import { fieldText, typedDecimal, typedProblem } from '#web/lib/amounts.ts'
import { formatMoment } from '#web/lib/format.ts'
import { openAccount } from '#web/lib/otherAccount.ts'
import {
  changeRole,
  invitePerson,
  leaveAccount,
  type Member,
  removePerson,
  type SecondPerson,
  setSecondPerson,
} from '#web/queries/people.ts'

/** `member` of an invitation: the one that is sent again. */
export type PeopleAct =
  | { type: 'invite'; member?: Member }
  | { type: 'change'; member: Member }
  | { type: 'remove'; member: Member }
  | { type: 'leave'; member: Member }
  | { type: 'secondPerson'; secondPerson: SecondPerson }

export default function PeopleDialog(props: { act: PeopleAct; accountName: string; onClose: () => void }) {
  const { act, accountName, onClose } = props
  switch (act.type) {
    case 'invite':
      return <InviteDialog member={act.member} onClose={onClose} />
    case 'change':
      return <RoleDialog member={act.member} onClose={onClose} />
    case 'remove':
      return <RemoveDialog member={act.member} onClose={onClose} />
    case 'secondPerson':
      return <SecondPersonDialog secondPerson={act.secondPerson} onClose={onClose} />
    case 'leave':
      return <LeaveDialog accountName={accountName} onClose={onClose} />
  }
}

const missingPassword = 'Please enter your password'

type Invite = { email: string; role: MemberRole; password: string }

const inviteResolver = formResolver<Invite>(({ email, password }) => ({
  email: emailProblem(email),
  password: password ? null : missingPassword,
}))

function InviteDialog({ member, onClose }: { member: Member | undefined; onClose: () => void }) {
  const form = useForm<Invite>({
    resolver: inviteResolver,
    defaultValues: { email: member?.email ?? '', role: member?.role ?? 'viewer', password: '' },
  })
  return (
    <FormDialog
      title={member ? 'Send the invitation again' : 'Invite somebody'}
      subject={member?.id ?? null}
      description={
        member
          ? 'The link of the earlier email stops working.'
          : 'They get an email with a link, which works for 14 days.'
      }
      form={form}
      onClose={onClose}
      submit={['Send invitation', 'Sending...']}
      send={async ({ email, role, password }) => {
        await invitePerson({ email: email.trim(), role, password })
        toast.success(`${email.trim()} is invited.`)
        onClose()
      }}
      fallback="The invitation could not be sent. Please try again."
    >
      <TextField
        form={form}
        name="email"
        label="Email"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={member !== undefined}
      />
      <RoleField form={form as never} />
      <PasswordField
        form={form}
        name="password"
        label="Your password"
        hint="Somebody else will see this account."
        autoComplete="current-password"
      />
    </FormDialog>
  )
}

const choices = memberRoles.map((value) => ({
  value,
  label: capitalized(value),
  hint: `Can ${roleTexts[value]}.`,
}))

function RoleField({ form }: { form: UseFormReturn<{ role: MemberRole }> }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">Role</legend>
      <RadioChoices
        name="role"
        choices={choices}
        value={form.watch('role')}
        onChange={(role) => form.setValue('role', role, { shouldDirty: true })}
      />
    </fieldset>
  )
}

type Change = { role: MemberRole; password: string }

function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const form = useForm<Change>({
    resolver: formResolver<Change>(({ role, password }) => ({
      password: isRaised(member.role, role) && !password ? missingPassword : null,
    })),
    defaultValues: { role: member.role, password: '' },
  })
  const role = form.watch('role')
  const who = member.name ?? member.email
  return (
    <FormDialog
      title={`Role of ${who}`}
      subject={member.id}
      form={form}
      onClose={onClose}
      submit={['Change role', 'Changing...']}
      missing={role === member.role ? 'Choose another role first.' : null}
      send={async ({ role, password }) => {
        await changeRole(member.id, { role, ...(password && { password }) })
        toast.success(`${who} is ${role} now.`)
        onClose()
      }}
      fallback="The role could not be changed. Please try again."
    >
      <RoleField form={form as never} />
      {isRaised(member.role, role) && (
        <PasswordField
          form={form}
          name="password"
          label="Your password"
          hint="This role may do more than the present one."
          autoComplete="current-password"
        />
      )}
    </FormDialog>
  )
}

type Limit = { above: string; password: string }

const limitResolver = formResolver<Limit>(({ above, password }) => ({
  above: (above.trim() && typedProblem(above, 'Please enter a valid amount')) || null,
  password: password ? null : missingPassword,
}))

function SecondPersonDialog({ secondPerson, onClose }: { secondPerson: SecondPerson; onClose: () => void }) {
  const form = useForm<Limit>({
    resolver: limitResolver,
    defaultValues: { above: fieldText(secondPerson.above), password: '' },
  })
  return (
    <FormDialog
      title="When must a second person agree?"
      subject="second-person"
      description="A higher limit, or none, takes effect in 24 hours, after everyone was sent an email. A lower one takes effect at once."
      form={form}
      onClose={onClose}
      submit={['Save limit', 'Saving...']}
      missing={form.formState.isDirty ? null : 'Change the amount first.'}
      send={async ({ above, password }) => {
        const { next } = await setSecondPerson({ above: above.trim() ? typedDecimal(above) : null, password })
        toast.success(next ? `Saved. It takes effect on ${formatMoment(next.at)}.` : 'Saved.')
        onClose()
      }}
      fallback="The limit could not be saved. Please try again."
    >
      <AmountField form={form} name="above" label="Above this amount in 24 hours" hint="Leave empty for never." />
      <PasswordField form={form} name="password" label="Your password" autoComplete="current-password" />
    </FormDialog>
  )
}

function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const who = member.name ?? member.email
  const isInvitation = member.status === 'invited'
  return (
    <ConfirmDialog
      title={isInvitation ? 'Withdraw the invitation?' : `Remove ${who}?`}
      danger
      confirm={isInvitation ? ['Withdraw', 'Withdrawing...'] : ['Remove', 'Removing...']}
      act={() => removePerson(member.id)}
      done={isInvitation ? 'The invitation is withdrawn.' : `${who} was removed.`}
      fallback="This could not be done. Please try again."
      onClose={onClose}
    >
      {isInvitation ? (
        <p>The link that {member.email} got stops working. You can invite them again.</p>
      ) : (
        <p>
          From now on, {who} sees nothing of this account and can do nothing in it. What they approved before stays as
          it is.
        </p>
      )}
    </ConfirmDialog>
  )
}

function LeaveDialog({ accountName, onClose }: { accountName: string; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Leave ${accountName}?`}
      danger
      confirm={['Leave', 'Leaving...']}
      act={leaveAccount}
      fallback="This could not be done. Please try again."
      onClose={onClose}
      onDone={() => openAccount(null)}
    >
      <p>You see nothing of {accountName} from now on. Its owner can invite you again.</p>
    </ConfirmDialog>
  )
}

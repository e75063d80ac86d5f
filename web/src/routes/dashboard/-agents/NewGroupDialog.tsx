import { useQuery } from '@tanstack/react-query'
import { Controller, useForm } from 'react-hook-form'
import { formatUsdc, parseUsdc } from '../../../../../worker/domain/money.ts'
import { visibleScopes } from '../../../../../worker/domain/scopes.ts'
import { AmountInput } from '../../../components/AmountInput.tsx'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { Checkbox, ErrorBox, Field, Input, Select } from '../../../components/Field.tsx'
import { ApiError, messageOf } from '../../../lib/api.ts'
import { useIdempotencyKey } from '../../../lib/hooks.ts'
import { plainAmount } from '../../../lib/problems.ts'
import { resolve } from '../../../lib/resolver.ts'
import { scopeWords } from '../../../lib/scopes.ts'
import { createGroup, type PolicyGroup, refreshGroups } from '../../../queries/agents.ts'
import { type Contact, contactsQuery } from '../../../queries/contacts.ts'
import { canPay, walletName, walletsQuery } from '../../../queries/wallets.ts'

type Values = { name: string; budget: string; walletId: string; scopes: string[]; contactIds: string[] }

const contactScope = 'contact_payments:write'

const resolver = resolve<Values>((values) => ({
  name: values.name.trim() ? null : 'Policy name is required',
  budget: budgetProblem(values.budget),
  walletId: values.walletId ? null : 'Please select a wallet',
}))

function budgetProblem(text: string): string | null {
  if (!text.trim()) return 'Budget limit is required'
  return parseUsdc(plainAmount(text)) ? null : 'Budget limit must be greater than 0'
}

export default function NewGroupDialog(props: { onClose: () => void; onCreated: (group: PolicyGroup) => void }) {
  const wallets = useQuery(walletsQuery)
  const usable = wallets.data?.filter(canPay) ?? []
  const idempotencyKey = useIdempotencyKey()
  const form = useForm<Values>({
    resolver,
    defaultValues: { name: '', budget: '', walletId: '', scopes: [], contactIds: [] },
  })
  const { errors, isSubmitting: busy } = form.formState
  const byContact = form.watch('scopes').includes(contactScope)

  const submit = form.handleSubmit(async (values) => {
    try {
      const group = await createGroup(
        {
          name: values.name.trim(),
          spendLimit: formatUsdc(parseUsdc(plainAmount(values.budget)) ?? 0n),
          scopes: values.scopes,
          walletId: values.walletId,
          ...(values.scopes.includes(contactScope) ? { whitelistedContactIds: values.contactIds } : {}),
        },
        idempotencyKey.current(),
      )
      await refreshGroups()
      props.onCreated(group)
    } catch (error) {
      idempotencyKey.refused(error)
      const message = messageOf(error, 'Failed to create policy group. Please try again.')
      const field = error instanceof ApiError && fieldNames[error.field ?? '']
      form.setError(field || 'root', { message })
    }
  })

  return (
    <Dialog
      title="Add New Policy Group"
      description="A budget, the wallet it is paid from, and whom agents may pay."
      onClose={props.onClose}
      locked={busy}
      onSubmit={submit}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? 'Creating...' : 'Create Policy Group'}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
        <Field label="Policy name" error={errors.name?.message}>
          {(control) => (
            <Input
              {...control}
              {...form.register('name')}
              maxLength={60}
              placeholder="Research agents"
              autoComplete="off"
            />
          )}
        </Field>
        <Controller
          control={form.control}
          name="budget"
          render={({ field }) => (
            <Field label="Budget limit" error={errors.budget?.message} hint="In total, for all agents of the group.">
              {(control) => <AmountInput {...control} {...field} />}
            </Field>
          )}
        />
        <Field
          label="Wallet"
          error={errors.walletId?.message}
          hint={
            wallets.data && usable.length === 0
              ? 'No wallets found. Please create a wallet first.'
              : 'Wallet cannot be changed after creation'
          }
        >
          {(control) => (
            <Select {...control} {...form.register('walletId')}>
              <option value="">Select a wallet</option>
              {usable.map((wallet) => (
                <option key={wallet.id} value={wallet.id}>
                  {walletName(wallet)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <fieldset>
          <legend className="mb-1 font-medium text-small">Permissions</legend>
          {visibleScopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              {...form.register('scopes')}
              label={scopeWords[scope].name}
              hint={scopeWords[scope].hint}
            />
          ))}
          <p className="mt-1 text-muted text-small">What is not checked is refused.</p>
        </fieldset>
        {byContact && (
          <fieldset>
            <legend className="mb-1 font-medium text-small">Whitelisted contacts</legend>
            <ContactChoices>
              {(contact) => (
                <Checkbox
                  key={contact.id}
                  value={contact.id}
                  {...form.register('contactIds')}
                  label={contact.name}
                  hint={contact.address ?? contact.email ?? contact.phone}
                />
              )}
            </ContactChoices>
          </fieldset>
        )}
      </div>
    </Dialog>
  )
}

/** The server's names of the fields. */
const fieldNames: Record<string, keyof Values> = { name: 'name', spendLimit: 'budget', walletId: 'walletId' }

function ContactChoices(props: { children: (contact: Contact) => React.ReactNode }) {
  const { data, error, refetch } = useQuery(contactsQuery)
  if (error && !data)
    return (
      <div className="flex items-center gap-3">
        <ErrorBox>{messageOf(error, 'Failed to load contacts')}</ErrorBox>
        <Button look="secondary" onClick={() => refetch()}>
          Try again
        </Button>
      </div>
    )
  if (!data) return <p className="text-muted text-small">Loading contacts...</p>
  if (data.length === 0)
    return <p className="text-muted text-small">You have no contacts yet. Add some under Contacts and come back.</p>
  return (
    <div className="max-h-48 overflow-y-auto rounded-control border border-hairline px-3 py-1 *:break-all">
      {data.map(props.children)}
    </div>
  )
}

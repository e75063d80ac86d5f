import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { allowanceInMicro } from '#domain/sessionKey.ts'
import { MoneyChain } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { ErrorBox, Field, Input } from '#web/components/Field.tsx'
import { AmountField, SelectField, TextField } from '#web/components/forms.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { ScopeChecks } from '#web/components/ScopeChecks.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { plural } from '#web/lib/format.ts'
import { useDebounced } from '#web/lib/useDebounced.ts'
import { contactsQuery } from '#web/queries/contacts.ts'
import { blockedBecause, canPay, walletLabel, walletName, walletsQuery } from '#web/queries/wallets.ts'
import { NoWalletNotice } from '../-send/WalletField.tsx'
import { contactScope, type GroupValues } from './groupForm.ts'
import { RuleList } from './RuleList.tsx'
import type { useFirstPurchases } from './useFirstPurchases.ts'

/** The fields of a policy group. `wallet` is an existing group's wallet, which can't be changed. */
export function GroupFields(props: {
  form: UseFormReturn<GroupValues>
  wallet?: { name: string | null }
  budgetHint: string
  /** Set if its agents are the first to buy from the wallet. */
  first: ReturnType<typeof useFirstPurchases>
}) {
  const { form, first } = props
  const scopes = form.watch('scopes')
  const byContact = scopes.includes(contactScope)
  const walletId = form.watch('walletId')
  const chain = useQuery(walletsQuery).data?.find(({ id }) => id === walletId)?.chain
  return (
    <MoneyChain value={chain}>
      <TextField form={form} name="name" label="Policy name" placeholder="Research agents" autoComplete="off" />
      <AmountField form={form} name="budget" label="Budget limit" hint={props.budgetHint} />
      {props.wallet ? (
        <Field label="Wallet" hint="Wallet cannot be changed after creation">
          {(control) => <Input {...control} value={walletName(props.wallet!)} disabled readOnly />}
        </Field>
      ) : (
        <WalletChoice form={form} />
      )}
      <fieldset>
        <legend className="mb-1 font-medium text-small">Permissions</legend>
        <ScopeChecks field={form.register('scopes')} />
        <p className="mt-1 text-muted text-small">
          {scopes.length === 0
            ? 'Select at least one: without it, agents can’t pay anyone.'
            : 'Everything else is refused.'}
        </p>
        {first && (
          <Notice tone="info" className="mt-2">
            {walletName(first.wallet)} keeps nothing for purchases yet. Once this is saved, you choose how much of its
            limit it keeps: {dollars(allowanceInMicro(Number(first.proposed.allowance)))} is proposed, and sends have
            that much less.
          </Notice>
        )}
      </fieldset>
      {byContact && (
        <fieldset>
          <legend className="mb-1 font-medium text-small">Whitelisted contacts</legend>
          <Controller
            control={form.control}
            name="contactIds"
            render={({ field: { value, onChange } }) => <ContactChoices value={value} onChange={onChange} />}
          />
        </fieldset>
      )}
      <RuleList form={form} />
    </MoneyChain>
  )
}

/** Wallets that can't pay now are listed with the reason. */
function WalletChoice(props: { form: UseFormReturn<GroupValues> }) {
  const wallets = useQuery(walletsQuery)
  const usable = wallets.data?.filter(canPay) ?? []
  const { getValues, setValue } = props.form
  const onlyId = usable.length === 1 ? usable[0]!.id : undefined
  useEffect(() => {
    if (onlyId && !getValues('walletId')) setValue('walletId', onlyId)
  }, [onlyId, getValues, setValue])
  return (
    <>
      {wallets.data && <NoWalletNotice wallets={wallets.data} />}
      <SelectField
        form={props.form}
        name="walletId"
        label="Wallet"
        hint="Wallet cannot be changed after creation"
        none="Select a wallet"
        choices={(wallets.data ?? []).map((wallet) => {
          const blocked = blockedBecause(wallet)
          return [wallet.id, walletLabel(wallet) + (blocked ? ` (${blocked})` : ''), blocked !== null]
        })}
      />
    </>
  )
}

const shownAtOnce = 100
const searchFrom = 8 // contacts; shorter lists need no search

/** Chooses the contacts that the group may pay. A long list gets a search field. */
function ContactChoices(props: { value: string[]; onChange: (contactIds: string[]) => void }) {
  const { value, onChange } = props
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useQuery(contactsQuery({ pageSize: shownAtOnce }))
  const found = useQuery(contactsQuery({ search: useDebounced(search.trim()), pageSize: shownAtOnce })).data ?? data
  const chosen = new Set(value)

  if (error && !data)
    return (
      <div className="flex items-center gap-3">
        <ErrorBox>{messageOf(error, 'Failed to load contacts')}</ErrorBox>
        <Button look="secondary" onClick={() => refetch()}>
          Try again
        </Button>
      </div>
    )
  if (!data || !found) return <p className="text-muted text-small">Loading contacts...</p>
  if (data.page.total === 0)
    return <p className="text-muted text-small">You have no contacts yet. Add some under Contacts and come back.</p>

  return (
    <div className="space-y-2">
      {data.page.total >= searchFrom && (
        <Input
          type="search"
          aria-label="Search contacts"
          placeholder="Search contacts"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className="max-h-48 overflow-y-auto rounded-control border border-hairline px-3 py-1 *:break-all">
        {found.contacts.map((contact) => (
          <Checkbox
            key={contact.id}
            checked={chosen.has(contact.id)}
            onChange={(event) =>
              onChange(event.target.checked ? [...value, contact.id] : value.filter((id) => id !== contact.id))
            }
            label={contact.name}
            hint={contact.address ?? contact.email ?? contact.phone}
          />
        ))}
        {found.contacts.length === 0 && <p className="py-1 text-muted text-small">No contact matches.</p>}
      </div>
      <p className="text-muted text-small" role="status">
        {plural(data.page.total, 'contact')}, {value.length.toLocaleString('en-US')} chosen
        {found.page.total > shownAtOnce && <span>; the first {shownAtOnce} are shown, search for others</span>}
      </p>
    </div>
  )
}

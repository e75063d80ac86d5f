import { useQuery } from '@tanstack/react-query'
import { manyPayments } from '#domain/approval.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { type ContactMethod, looksLike } from '#domain/sendRules.ts'
import type { RecipientHistory } from '#schemas/transaction.ts'
import { ago, shortAddress } from '#web/lib/format.ts'
import { contactMatchesQuery } from '#web/queries/contacts.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'
import { Notice } from './Notice.tsx'

const methodNames = { address: 'address', email: 'email address', phone: 'phone number' }

/** '3 times' */
export const timesPaid = (payments: number): string =>
  payments >= manyPayments ? `${manyPayments} or more times` : payments === 1 ? 'once' : `${payments} times`

/** The recipient's name, if it is known, how often it was paid, and warnings, before someone sends or approves a payment. */
export function RecipientWarnings(props: {
  method: ContactMethod
  recipient: string
  /** Whether the name of its contact is already shown. */
  isNamed: boolean
  /** It is a purchase: its recipient is the host with the address. */
  isPurchase?: boolean
  /** Undefined if it could not be loaded. */
  history: (Pick<RecipientHistory, 'payments' | 'lookAlike'> & Partial<RecipientHistory>) | undefined
}) {
  const { method, recipient, history, isPurchase = false } = props
  const matches = useQuery(contactMatchesQuery({ [method]: recipient })).data
  const wallets = useQuery(walletsQuery).data ?? []
  const known = [
    ...[...(matches?.contacts ?? []), matches?.lookAlike].flatMap((contact) =>
      contact?.[method] ? [{ name: contact.name, text: contact[method] }] : [],
    ),
    ...(method === 'address'
      ? wallets.map((wallet) => ({ name: `your wallet ${walletName(wallet)}`, text: wallet.address }))
      : []),
  ]
  const owner = known.find(({ text }) => sameAddress(text, recipient))
  const twin =
    method === 'address' && !owner
      ? (known.find(({ text }) => looksLike(text, recipient))?.name ??
        (history?.lookAlike && `${shortAddress(history.lookAlike)}, which you paid before,`))
      : null
  const changed = (matches?.contacts ?? []).find(
    ({ changedBy, updatedAt, ...contact }) =>
      changedBy !== null && sameAddress(contact[method] ?? '', recipient) && (history?.lastPaidAt ?? '') < updatedAt,
  )
  return (
    <>
      {owner && !props.isNamed && <p className="text-green text-small">This is {owner.name}.</p>}
      {twin && (
        <Notice tone="danger">
          Careful: this looks like {twin} but is a different address. Someone may want you to confuse them.
        </Notice>
      )}
      {changed && (
        <Notice tone="warning">
          {changed.changedBy} changed this contact {ago(changed.updatedAt, Date.now())}. It has not been paid since.
          Check with the recipient that this is theirs.
        </Notice>
      )}
      {history && history.payments > 0 ? (
        <p className="text-muted text-small">
          {isPurchase ? 'You have bought from this seller' : `You have paid this ${methodNames[method]}`}{' '}
          {timesPaid(history.payments)} before.
        </p>
      ) : (
        <Notice tone="warning">
          {history
            ? isPurchase
              ? 'This is your first purchase from this host at this address.'
              : `This is your first payment to this ${methodNames[method]}.`
            : `We could not check whether you have paid this ${methodNames[method]} before.`}
          {history?.unused && (
            <span>
              {' '}
              Nobody has used this address on its network before: one with a wrong digit would look the same.
            </span>
          )}
          {method === 'address' && !isPurchase && <span> Compare it with what the recipient told you.</span>}
        </Notice>
      )}
    </>
  )
}

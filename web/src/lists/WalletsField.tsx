import { Combobox } from '@base-ui/react/combobox'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { sameAddress } from '#domain/sameAddress.ts'
import { ComboboxPopup } from '../components/ComboboxPopup.tsx'
import { Field, Input } from '../components/Field.tsx'
import { type Wallet, walletLabel, walletName, walletsQuery } from '../queries/wallets.ts'
import { type FilterFieldProps, partsOf } from './filters.ts'

/** First ten and last eight characters. */
const shorten = (address: string) => `${address.slice(0, 10)}…${address.slice(-8)}`

/** The list closes this long after the focus has left it (ms). */
const closesAfterMs = 200
const leaves: string[] = ['focus-out', 'outside-press']

/** Picks wallets, by address, from a search in their names and addresses. */
export default function WalletsField(props: FilterFieldProps) {
  const { data: wallets = [], isPending } = useQuery(walletsQuery)
  const value = partsOf(props.value)
  const [open, setOpen] = useState(false)
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const change = (addresses: string[]) => props.onChange(addresses.join(','))
  const chosen = value.map((address) => wallets.find((wallet) => sameAddress(wallet.address, address)) ?? { address })
  return (
    <div>
      <Field label="Wallets">
        {(control) => (
          <Combobox.Root
            multiple
            open={open}
            onOpenChange={(next, { reason }) => {
              clearTimeout(closing.current)
              if (next || !leaves.includes(reason)) setOpen(next)
              else closing.current = setTimeout(() => setOpen(false), closesAfterMs)
            }}
            items={wallets}
            value={wallets.filter((wallet) => value.some((address) => sameAddress(address, wallet.address)))}
            onValueChange={(next: Wallet[]) => change(next.map((wallet) => wallet.address))}
            itemToStringLabel={(wallet: Wallet) => walletName(wallet)}
            isItemEqualToValue={(a: Wallet, b: Wallet) => a.id === b.id}
            filter={(wallet: Wallet, query) =>
              `${walletName(wallet)} ${wallet.address}`.toLowerCase().includes(query.trim().toLowerCase())
            }
          >
            <Combobox.Input render={<Input />} {...control} placeholder="Search wallets..." spellCheck={false} />
            <ComboboxPopup<Wallet> empty={isPending ? 'Loading wallets...' : 'No wallets found'}>
              {(wallet) => ({ title: walletLabel(wallet), below: shorten(wallet.address), mono: true })}
            </ComboboxPopup>
          </Combobox.Root>
        )}
      </Field>
      {chosen.length > 0 && (
        <ul aria-label="Chosen wallets" className="mt-2 flex flex-wrap gap-2">
          {chosen.map((wallet) => (
            <li
              key={wallet.address}
              className="inline-flex items-center gap-1 rounded-full bg-sunken py-0.5 pr-0.5 pl-3 text-small"
            >
              {'id' in wallet ? walletName(wallet) : shorten(wallet.address)}
              <button
                type="button"
                aria-label={`Remove ${'id' in wallet ? walletName(wallet) : wallet.address}`}
                onClick={() => change(value.filter((address) => !sameAddress(address, wallet.address)))}
                className="inline-flex size-7 items-center justify-center rounded-full text-muted hover:text-ink pointer-coarse:size-10"
              >
                <X aria-hidden="true" className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

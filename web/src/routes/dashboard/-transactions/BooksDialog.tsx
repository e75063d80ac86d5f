import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type BookFormat, booksClosedUntil } from '#domain/books.ts'
import { monthOf } from '#domain/statistics.ts'
import { formatUtcDays, parseUtcDays } from '#domain/utcDays.ts'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox, Field, Input } from '#web/components/Field.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { RadioChoices } from '#web/components/RadioChoices.tsx'
import { LabeledSelect } from '#web/components/Select.tsx'
import { plural } from '#web/lib/format.ts'
import { networkName } from '#web/lib/networks.ts'
import { saveFile } from '#web/lib/saveFile.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { exportBooks } from '#web/queries/transactions.ts'
import { walletLabel, walletsQuery } from '#web/queries/wallets.ts'

/** What each program takes at a time. */
const programs: Record<BookFormat, { name: string; hint: string; excess: (file: string) => string | null }> = {
  xero: {
    name: 'Xero',
    hint: 'At most 1,000 lines at a time',
    excess: (file) => {
      const lines = file.split('\n').length - 2 // without the header and the end of the last line
      return lines > 1_000 ? `It has ${plural(lines, 'line')}, and Xero takes 1,000 at a time` : null
    },
  },
  quickbooks: {
    name: 'QuickBooks Online',
    hint: 'At most 350 kB at a time; its dates are month, day, year',
    excess: (file) => {
      const kilobytes = Math.ceil(new Blob([file]).size / 1_000)
      return kilobytes > 350 ? `It has ${kilobytes} kB, and QuickBooks takes 350 at a time` : null
    },
  },
}
const formats = Object.entries(programs).map(([value, { name, hint }]) => ({
  value: value as BookFormat,
  label: name,
  hint,
}))

/** Saves a bank statement for an accounting program: of one wallet, or of all of them together. */
export default function BooksDialog({ onClose }: { onClose: () => void }) {
  const [closedUntil] = useState(() => booksClosedUntil(Date.now()))
  const [format, setFormat] = useState<BookFormat>('xero')
  const [[from, to], setDays] = useState(() => lastMonthBefore(closedUntil))
  const [walletId, setWallet] = useState('')
  const { data: wallets = [] } = useQuery(walletsQuery)
  const primary = usePrimaryChain()

  const days = parseUtcDays(`${from}..${to}`)
  const isOpen = days !== null && days.to > closedUntil
  const missing = days === null ? 'Choose a first and a last day.' : isOpen ? 'Choose days that have ended.' : null
  const [program, name] = [programs[format], `bursar-${format}-${from}-to-${to}.csv`]
  const [excess, setExcess] = useState<string | null>(null)
  const save = useDialogAction(
    async () => {
      const network = wallets.find(({ id }) => id === walletId)?.chain ?? primary
      const file = await exportBooks({ format, days: `${from}..${to}`, network, ...(walletId && { wallet: walletId }) })
      return { file, excess: program.excess(await file.text()) }
    },
    {
      fallback: 'The file could not be created. Please try again.',
      onDone: ({ file, excess }) => {
        saveFile(file, name)
        if (excess === null) onClose()
        else setExcess(excess)
      },
    },
  )
  return (
    <Dialog
      title="Export for accounting"
      description="A bank statement of money that came and went, in whole cents."
      onClose={onClose}
      locked={save.busy}
      onStopWaiting={save.onStopWaiting}
      onSubmit={() => missing === null && save.start()}
      footer={
        <GatedButton type="submit" busy={save.busy} missing={missing}>
          Export
        </GatedButton>
      }
    >
      <div className="space-y-4">
        {save.problem && <ErrorBox>{save.problem}</ErrorBox>}
        {excess && <Notice tone="warning">The file was saved. {excess}: choose fewer days for each file.</Notice>}
        <fieldset>
          <legend className="mb-1 font-medium text-small">Program</legend>
          <RadioChoices name="format" choices={formats} value={format} onChange={setFormat} />
        </fieldset>
        <div>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="First day">
              {(control) => (
                <Input {...control} type="date" value={from} onChange={({ target }) => setDays([target.value, to])} />
              )}
            </Field>
            <Field label="Last day" error={isOpen ? 'This day has not ended.' : undefined}>
              {(control) => (
                <Input {...control} type="date" value={to} onChange={({ target }) => setDays([from, target.value])} />
              )}
            </Field>
          </div>
          <p className="mt-1 text-muted text-small">Days in UTC. A day can be exported an hour after its end.</p>
        </div>
        <LabeledSelect
          label="Wallet"
          value={walletId}
          onChange={setWallet}
          none={`All wallets on ${networkName(primary)}`}
          choices={wallets.map((wallet) => [wallet.id, walletLabel(wallet)])}
        />
      </div>
    </Dialog>
  )
}

/** The first and the last day of the month before. */
function lastMonthBefore(closedUntil: number): [from: string, to: string] {
  const to = monthOf(closedUntil).startsAt
  const { startsAt: from } = monthOf(to - 1)
  return formatUtcDays({ from, to }).split('..') as [string, string]
}

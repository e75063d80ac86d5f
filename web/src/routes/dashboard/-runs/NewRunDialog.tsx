import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { runTitle } from '#domain/runs/texts.ts'
import { FormDialog, formResolver, TextField } from '#web/components/forms.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { createRun, type Run, readRows, runQuery, stopRun } from '#web/queries/runs.ts'
import { canPay, walletsQuery } from '#web/queries/wallets.ts'
import { WalletField } from '../-send/WalletField.tsx'
import { type NewRun, problemOf, titleProblem } from './newRun.ts'
import { RowsField } from './RowsField.tsx'
import SameRunDialog from './SameRunDialog.tsx'
import { runPath } from './words.ts'

const resolver = formResolver<NewRun>(({ title, walletId, csv }) => ({
  csv: csv.trim() ? null : 'Choose a file, or paste the rows',
  title: titleProblem(title),
  walletId: walletId ? null : 'Select a wallet',
}))

/** Makes a run of a file or of pasted rows, and opens it. `insteadOf`: a draft that is cancelled once this one is made. */
export default function NewRunDialog(props: { insteadOf: string | null; onClose: () => void }) {
  const form = useForm<NewRun>({ resolver, defaultValues: { title: '', walletId: '', csv: '', fileName: '' } })
  const { csv, fileName } = form.watch()
  const wallets = useQuery(walletsQuery)
  const replaced = useQuery({ ...runQuery(props.insteadOf ?? ''), enabled: props.insteadOf !== null }).data
  const navigate = useNavigate()
  /** A run that has the same rows as the form. */
  const [same, setSame] = useState<{ values: NewRun; runId: string; message: string } | null>(null)
  usePrefilled(form, { title: replaced?.title, walletId: replaced?.wallet.id ?? onlyId(wallets.data?.filter(canPay)) })

  const open = async (run: Run) => {
    if (replaced?.status === 'DRAFT' && replaced.id !== run.id)
      await stopRun(replaced.id).catch(() => toast.error(`The draft “${replaced.title}” could not be cancelled.`))
    await navigate({ to: runPath(run.id) })
  }
  if (same)
    return (
      <SameRunDialog
        runId={same.runId}
        message={same.message}
        onAgain={(key) => createRun({ ...bodyOf(same.values), again: true }, key).then(open)}
        onBack={() => setSame(null)}
      />
    )
  return (
    <FormDialog
      title="New run"
      subject={props.insteadOf}
      description="Pays many people from one file. Nothing is paid before the rows are checked and the run is approved."
      wide
      form={form}
      onClose={props.onClose}
      submit={['Check the rows', 'Uploading...']}
      missing={
        wallets.isPending
          ? 'Your wallets are still loading.'
          : fileName && !csv
            ? 'The file is still being read.'
            : null
      }
      send={async (values, idempotencyKey) => {
        // Without the parser, the API says it.
        const read = await readRows(values.csv).catch(() => null)
        if (read?.ok === false) throw new ApiError(400, 'invalid_input', problemOf(read), 'csv')
        try {
          await open(await createRun(bodyOf(values), idempotencyKey))
        } catch (error) {
          if (!(error instanceof ApiError) || error.existing === undefined) throw error
          setSame({ values, runId: error.existing, message: error.message })
        }
      }}
      fallback="The rows could not be uploaded. Please try again."
      unknown="It is not known whether the run was made. Try again: it is made once."
    >
      {replaced && (
        <Notice tone="info">The draft “{replaced.title}” is cancelled once this run is made in its place.</Notice>
      )}
      <RowsField form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField form={form} name="title" label="Title" maxLength={runTitle.max} placeholder="Payroll November" />
        <WalletField form={form} wallets={wallets} />
      </div>
    </FormDialog>
  )
}

const bodyOf = ({ title, walletId, csv }: NewRun) => ({ title: title.trim(), walletId, csv })

const onlyId = (list: { id: string }[] | undefined) => (list?.length === 1 ? list[0]!.id : undefined)

/** Fills in what is known as soon as it is, unless something was typed. */
function usePrefilled(
  form: UseFormReturn<NewRun>,
  known: { [Name in 'title' | 'walletId']: string | undefined },
): void {
  const { title, walletId } = known
  useEffect(() => {
    if (title && !form.getValues('title')) form.setValue('title', title)
    if (walletId && !form.getValues('walletId')) form.setValue('walletId', walletId)
  }, [form, title, walletId])
}
